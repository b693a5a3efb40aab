/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/pruned.h"

#include <stdlib.h>

void profile_pruned_free(struct profile_pruned *p)
{
	if (!p)
		return;
	profile_free(p->own);
	free(p->entries);
	free(p);
}
