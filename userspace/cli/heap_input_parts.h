/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of heap_input.c. Each function returns 0, -EBADMSG with the reason, or -ENOMEM. */
#ifndef SPPROF_CLI_HEAP_INPUT_PARTS_H
#define SPPROF_CLI_HEAP_INPUT_PARTS_H

#include "cli/heap_types.h"
#include "import/json_reader.h"

struct heap_reader {
	struct json json;
	struct heap_types types; /* of the object that is read */
	uint32_t depth;		 /* of a page: the heap is one below */
	bool has_types;
	uint32_t seen; /* rows, whatever they are of */
};

/* A whole number from 0 to @most. */
int heap_read_whole(struct json *j, uint64_t most, uint64_t *out);

/* Bytes of a type, or objects. */
int heap_read_amount(struct json *j, uint64_t *out);

/* A new string at *@out, in place of what was there. */
int heap_read_name(struct json *j, char **out);

/* The types of an object, or its storage. */
int heap_read_rows(struct heap_reader *r, bool is_storage);

#endif
