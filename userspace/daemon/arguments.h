/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of spprofd. */
#ifndef SPPROF_ARGUMENTS_H
#define SPPROF_ARGUMENTS_H

#include "base/buffer.h"

#include <stdbool.h>

struct config;

enum arguments_task { TASK_RUN, TASK_CHECK_CONFIG, TASK_HELP, TASK_VERSION };

struct arguments {
	enum arguments_task task;
	const char *config; /* NULL: the default file, which may be missing */
	const char *socket; /* NULL: as the configuration has it */
	const char *opener; /* NULL: the default one; only if not in the foreground */
	bool is_foreground;
};

extern const char arguments_usage[];

/* 0, or -EINVAL and what is wrong, in one line, in @why. Points into @argv. */
int arguments_parse(int argc, char **argv, struct arguments *out, struct buffer *why);

/* The configuration, where the command line wins. As config_load(). */
int arguments_config(const struct arguments *args, struct config *out, struct buffer *why);

#endif
