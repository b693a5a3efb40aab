/* SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"

#include "base/buffer.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

static void write_file(const char *path, const char *data, size_t len)
{
	OWNS_FILE FILE *f = fopen(path, "w");

	cr_assert(f && fwrite(data, 1, len, f) == len, "cannot write %s", path);
}

static void read_file(const char *path, struct buffer *out)
{
	OWNS_FILE FILE *f = fopen(path, "r");
	char piece[4096];
	size_t got;

	cr_assert(f, "no %s: SPPROF_GOLDEN=write makes it", path);
	while ((got = fread(piece, 1, sizeof(piece), f)) > 0)
		buffer_add(out, piece, got);
}

void expect_golden(const char *path, const char *data, size_t len)
{
	const char *mode = getenv("SPPROF_GOLDEN");
	struct buffer want OWNS(buffer) = { 0 };
	char full[512];
	size_t same = 0;

	snprintf(full, sizeof(full), "%s/tests/golden/%s", SPPROF_SOURCE_DIR, path);
	if (mode && strcmp(mode, "write") == 0) {
		write_file(full, data, len);
		return;
	}
	read_file(full, &want);
	while (same < len && same < want.len && data[same] == want.data[same])
		same++;
	cr_expect(same == len && len == want.len, "%s: differs at byte %zu; now:\n%.*s", path, same,
		  (int)len, data);
}
