/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/transform_url.h"

#include <errno.h>

void transform_list_fini(struct transform_list *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		transform_fini(&list->transforms[i]);
	free(list->transforms);
	*list = (struct transform_list){ 0 };
}

int transform_list_add(struct transform_list *list, struct transform *t)
{
	struct transform *grown = reallocarray(list->transforms, list->count + 1ul, sizeof(*grown));

	if (!grown)
		return -ENOMEM;
	list->transforms = grown;
	grown[list->count++] = *t;
	*t = (struct transform){ 0 };
	return 0;
}
