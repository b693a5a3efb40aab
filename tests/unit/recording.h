/* SPDX-License-Identifier: Apache-2.0 */
/* A perf.data made record by record, as perf would write it. */
#ifndef TEST_RECORDING_H
#define TEST_RECORDING_H

#include "base/buffer.h"
#include "import/import.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RECORDING_ATTRS 3

struct recording {
	bool is_swapped; /* in the other byte order */
	uint64_t sample_type, read_format;
	struct recording_attr {
		uint32_t type;
		uint64_t config, period;
		uint64_t flags; /* with sample_id_all in any case */
		uint64_t id;
		const char *name; /* NULL: the file does not tell */
	} attrs[RECORDING_ATTRS];
	size_t attr_count;
	struct buffer records;
};

enum recording_form { RECORDING_FILE, RECORDING_PIPE };

/* cpu-clock: a sample has its address, thread, time, id, period and call chain. */
struct recording recording_of_clock(void);

void recording_cleanup(struct recording *r);

void recording_word(const struct recording *r, struct buffer *out, uint64_t value);
void recording_half(const struct recording *r, struct buffer *out, uint32_t value);

/* Adds a record of @body. */
void recording_add(struct recording *r, uint32_t type, uint16_t misc, const struct buffer *body);

/* Those of the kernel, which end with what samples have. */
void recording_mmap(struct recording *r, uint64_t time, uint32_t pid, uint64_t start, uint64_t len,
		    const char *path);
void recording_kernel(struct recording *r, uint64_t start, uint64_t len, const char *path);
void recording_mmap2(struct recording *r, uint64_t time, uint32_t pid, uint64_t start, uint64_t len,
		     const char *path, const uint8_t build_id[20]);
void recording_comm(struct recording *r, uint64_t time, uint32_t pid, uint32_t tid,
		    const char *comm);
void recording_fork(struct recording *r, uint64_t time, uint32_t pid, uint32_t tid, uint32_t ppid,
		    uint32_t ptid);

struct recording_sample {
	uint64_t time, id, period;
	uint32_t pid, tid;
	uint16_t misc;
	size_t chain_len;
	uint64_t chain[8]; /* the first address, but for a marker, is the sample's own */
};

void recording_sample(struct recording *r, const struct recording_sample *s);

/* Puts all records so far into compressed ones, @piece bytes each: type 81, or 83. */
void recording_compress(struct recording *r, uint32_t type, size_t piece);

/* The file. */
void recording_finish(const struct recording *r, enum recording_form form, struct buffer *out);

/* Of type PERF_RECORD_SAMPLE, with a period of 10 and one address of user code. */
void recording_user_sample(struct recording *r, uint64_t time, uint32_t pid, uint32_t tid,
			   uint64_t ip);

/* A process of two threads that are in the kernel, in a library and nowhere. */
void recording_add_usual(struct recording *r);

/* What reading that gives. */
extern const char recording_usual[];

/* All that a file may be. */
struct recording_file {
	char name[40];
	enum recording_form form;
	bool is_swapped;
	uint32_t compressed; /* type of the records; 0: none */
	uint32_t piece;	     /* bytes in one of them */
};
#define RECORDING_FILES 8
extern struct recording_file recording_files[RECORDING_FILES];

/* The usual one. */
void recording_finish_usual(const struct recording_file *f, struct buffer *out);

/* Binaries are not there. */
#define RECORDING_NOWHERE "/nonexistent"

struct recording_result {
	struct profile *profile;
	struct import_facts facts;
	struct buffer why;
	struct buffer samples; /* as imported_describe_samples() has them */
	int err;
};

void recording_result_cleanup(struct recording_result *r);
struct recording_result recording_read_bytes(const char *bytes, size_t len,
					     const struct import_request *request);
struct recording_result recording_read(const struct recording *recording, enum recording_form form);
void recording_expect(const struct recording_result *r, const char *expect, const char *what);

/* Whether an error or a warning has @text. */
bool recording_says(const struct recording_result *r, const char *text);

#endif
