/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target over the files of a folder, as a plain test: no fuzzer, no clang. */
#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static int is_input(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int replay(const char *path)
{
	FILE *f = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t len = 0, room = 0, got;

	if (!f) {
		perror(path);
		return -1;
	}
	do {
		uint8_t *grown = realloc(data, room += 65536);

		if (!grown)
			abort();
		data = grown;
		got = fread(data + len, 1, room - len, f);
		len += got;
	} while (got);
	fclose(f);
	/* A copy of the exact size: a read past the end must not find the buffer's slack. */
	data = realloc(data, len ? len : 1);
	LLVMFuzzerTestOneInput(data, len);
	free(data);
	return 0;
}

int main(int argc, char **argv)
{
	struct dirent **inputs;
	int count = argc == 2 ? scandir(argv[1], &inputs, is_input, alphasort) : -1;
	int failed = 0;

	for (int i = 0; i < count; i++) {
		char path[4096];

		snprintf(path, sizeof(path), "%s/%s", argv[1], inputs[i]->d_name);
		failed |= replay(path);
		free(inputs[i]);
	}
	if (count > 0)
		free(inputs);
	else
		fprintf(stderr, "usage: %s FOLDER (with at least one input)\n", argv[0]);
	return count > 0 && !failed ? 0 : 1;
}
