/* SPDX-License-Identifier: Apache-2.0 */
/*
 *	elf_names FILE < OFFSETS
 *
 * Prints what import/objects calls the function at each offset of FILE (hexadecimal, one a
 * line): the offset, the virtual address, and the name or "[unknown]".
 */
#include "import/objects.h"

#include <inttypes.h>

int main(int argc, char **argv)
{
	OWNS(objects) struct objects *o = objects_new("/");
	struct build_id none = { 0 };
	uint64_t offset, relative;
	int object;

	if (argc != 2 || !o)
		return 2;
	object = objects_add(o, argv[1], &none);
	while (scanf("%" SCNx64, &offset) == 1) {
		const char *name = objects_name(o, object, offset, &relative);

		printf("%" PRIx64 " %" PRIx64 " %s\n", offset, relative, name ? name : "[unknown]");
	}
	return 0;
}
