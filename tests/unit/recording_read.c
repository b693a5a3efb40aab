/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"
#include "recording.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

#define KERNEL 0xffffffff81000000
#define USER ((uint64_t)PERF_CONTEXT_USER)

void recording_result_cleanup(struct recording_result *r)
{
	profile_free(r->profile);
	import_facts_fini(&r->facts);
	buffer_fini(&r->why);
	buffer_fini(&r->samples);
}

struct recording_result recording_read_bytes(const char *bytes, size_t len,
					     const struct import_request *request)
{
	struct recording_result r = { .profile = profile_new() };

	r.err = import_profile(bytes, len, request, r.profile, &r.facts, &r.why);
	if (!r.err)
		imported_describe_samples(r.profile, &r.samples);
	return r;
}

struct recording_result recording_read(const struct recording *recording, enum recording_form form)
{
	static const struct import_request request = { .symfs = RECORDING_NOWHERE };
	struct buffer file OWNS(buffer) = { 0 };

	recording_finish(recording, form, &file);
	return recording_read_bytes(file.data, file.len, &request);
}

void recording_expect(const struct recording_result *r, const char *expect, const char *what)
{
	cr_assert(r->err == 0, "%s: %d, %s", what, r->err, r->why.data);
	cr_expect(eq(str, r->samples.data ? r->samples.data : "", (char *)expect), "%s", what);
}

bool recording_says(const struct recording_result *r, const char *text)
{
	return r->why.len && strstr(r->why.data, text);
}

void recording_user_sample(struct recording *r, uint64_t time, uint32_t pid, uint32_t tid,
			   uint64_t ip)
{
	recording_sample(r, &(struct recording_sample){ .time = time,
							.period = 10,
							.pid = pid,
							.tid = tid,
							.chain_len = 2,
							.chain = { USER, ip } });
}

void recording_add_usual(struct recording *r)
{
	struct recording_sample s = {
		.time = 20,
		.period = 1000,
		.pid = 5,
		.tid = 6,
		.misc = PERF_RECORD_MISC_KERNEL,
		.chain_len = 6,
		.chain = { PERF_CONTEXT_KERNEL, KERNEL + 0x10, PERF_CONTEXT_USER, 0x400010, 0x9,
			   0x500020 },
	};

	recording_kernel(r, KERNEL, 0x1000000, "[kernel.kallsyms]_text");
	recording_mmap(r, 11, 5, 0x400000, 0x1000, "/bin/prog");
	recording_mmap(r, 12, 5, 0x500000, 0x1000, "/lib/libx.so");
	recording_fork(r, 13, 5, 6, 5, 5);
	recording_comm(r, 14, 5, 6, "a: b 1");
	recording_sample(r, &s);
	recording_user_sample(r, 21, 5, 5, 0x400018);
	recording_user_sample(r, 22, 5, 5, 0x400018);
	recording_comm(r, 10, 5, 5, "prog"); /* of another processor's buffer */
}

const char recording_usual[] =
	"a: b 1 5/6| 0x1020{native /lib/libx.so} 0x9{unknown} 0x1010{native /bin/prog} "
	"0xffffffff81000010{kernel [kernel.kallsyms]} 1000\n"
	"prog 5/5| 0x1018{native /bin/prog} 20\n";

struct recording_file recording_files[] = {
	{ "file", RECORDING_FILE, false, 0, 0 },
	{ "pipe", RECORDING_PIPE, false, 0, 0 },
	{ "file of the other byte order", RECORDING_FILE, true, 0, 0 },
	{ "pipe of the other byte order", RECORDING_PIPE, true, 0, 0 },
	{ "compressed, in one", RECORDING_FILE, false, 81, 1 << 16 },
	{ "compressed, cut anywhere", RECORDING_FILE, false, 81, 7 },
	{ "compressed, with its size", RECORDING_FILE, false, 83, 33 },
	{ "compressed in a pipe, other byte order", RECORDING_PIPE, true, 83, 100 },
};

void recording_finish_usual(const struct recording_file *f, struct buffer *out)
{
	OWNS(recording) struct recording recording = recording_of_clock();

	recording.is_swapped = f->is_swapped;
	recording_add_usual(&recording);
	if (f->compressed)
		recording_compress(&recording, f->compressed, f->piece);
	recording_finish(&recording, f->form, out);
}
