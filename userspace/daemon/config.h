/* SPDX-License-Identifier: Apache-2.0 */
/*
 * config - what spprofd.conf may say. `key = value` a line, `#` begins a comment; a value
 * has its unit in it where it has one. Drop-ins in FILE.d/ are read after FILE, by name, later
 * ones win.
 */
#ifndef SPPROF_CONFIG_H
#define SPPROF_CONFIG_H

#include "base/buffer.h"

#include <stdint.h>

#define CONFIG_FILE_DEFAULT "/etc/spprof/spprofd.conf"

struct config {
	char socket[108];	  /* socket = PATH */
	unsigned int sample_hz;	  /* sample_hz = 0, or 1 to 10000; 0: only on demand */
	unsigned int stack_depth; /* stack_depth = 128: newest frames kept of a stack, to 4096 */
	uint64_t window_ns;	  /* window_length = 10min: how far back windows go */
	uint64_t window_bytes;	  /* window_memory = 64MiB: what they may hold */
	uint64_t
		recording_bytes; /* recording_memory = 512MiB: of all recordings; one: half of it */
	unsigned int connections;	   /* connections = 128: clients at once */
	unsigned int connections_per_user; /* connections_per_user = 32; root is not limited */
	unsigned int recordings_per_user;  /* recordings_per_user = 16; likewise; also of heaps */
};

extern const struct config config_default;

/*
 * Reads @path and its drop-ins over the defaults: 0 and *@out; else -errno, or -EINVAL, and
 * in @why what is wrong in one line, with file, line and what is allowed; *@out untouched.
 * A @path of NULL is CONFIG_FILE_DEFAULT, which may be missing.
 */
int config_load(const char *path, struct config *out, struct buffer *why);

/*
 * The pure part: applies the @len bytes of a file called @name to @config. Any bytes are
 * legal input. 0, or -EINVAL and the error in @why; @config may be changed in part then.
 */
int config_parse(const char *name, const char *text, size_t len, struct config *config,
		 struct buffer *why);

/* Appends what @config says, in part of a line for people. */
void config_describe(const struct config *config, struct buffer *out);

#endif
