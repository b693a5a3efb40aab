/* SPDX-License-Identifier: Apache-2.0 */
/* What a pprof says of itself: times, and the comments of profile/pprof_names.h. */
#ifndef SPPROF_IMPORT_PPROF_ABOUT_H
#define SPPROF_IMPORT_PPROF_ABOUT_H

#include "import/pprof_message.h"
#include "profile/profile.h"

#include <stdbool.h>

/* Into @p, all but the unit; *@is_ours: spprof wrote it. @pb is checked. 0 or -ENOMEM. */
int pprof_read_about(const pb_profile *pb, struct profile *p, bool *is_ours);

#endif
