/* SPDX-License-Identifier: Apache-2.0 */
/* Names of threads, over images of memory in the shape of each version. */
#include "resolve/thread_names.h"

#include "base/utf8.h"
#include "python_image.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define OLDEST 8
#define NEWEST 15
#define MOST_READS 12 /* of pages */

static const char *const names[] = { "MainThread", "Thread-1 (run)", "" };

/* Both ways in which a version may keep attributes. */
struct way {
	unsigned int minor;
	bool uses_dicts;
};

static struct way way_of(unsigned int i)
{
	return (struct way){ OLDEST + i / 2, i % 2 };
}
#define WAYS (2 * (NEWEST - OLDEST + 1))

static struct image *image_of(struct way way)
{
	struct image *image = malloc(sizeof(*image));

	image_begin(image, way.minor, way.uses_dicts);
	image_add_threads(image, names, sizeof(names) / sizeof(names[0]));
	return image;
}

static struct thread_names *names_of(struct image *image, int *err)
{
	struct thread_names *n = thread_names_new(IMAGE_BASE, &image->py);
	struct target_reader reader = image_reader(image);

	*err = thread_names_read(n, &reader);
	return n;
}

Test(thread_names, are_found_in_every_version)
{
	for (unsigned int i = 0; i < WAYS; i++) {
		OWNS_MEM struct image *image = image_of(way_of(i));
		int err;
		OWNS(thread_names) struct thread_names *n = names_of(image, &err);
		const char *first = thread_names_find(n, IMAGE_FIRST_IDENT);
		const char *second = thread_names_find(n, IMAGE_FIRST_IDENT + 1);

		cr_assert(eq(int, err, 0), "3.%u", way_of(i).minor);
		cr_assert(first != NULL && !strcmp(first, names[0]), "3.%u %d", way_of(i).minor,
			  i % 2);
		cr_assert(second != NULL && !strcmp(second, names[1]), "3.%u %d", way_of(i).minor,
			  i % 2);
		cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT + 2) == NULL, "an empty name");
		cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT + 3) == NULL, "no thread");
	}
}

Test(thread_names, are_none_where_threading_was_not_imported)
{
	for (unsigned int i = 0; i < WAYS; i++) {
		OWNS_MEM struct image *image = image_of(way_of(i));
		OWNS(thread_names) struct thread_names *n = NULL;
		int err;

		image_rename(image, image->threading, "reading..");
		n = names_of(image, &err);
		cr_assert(eq(int, err, 0));
		cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT) == NULL);
	}
}

Test(thread_names, need_modules_that_look_like_them)
{
	for (unsigned int i = 0; i < WAYS; i++) {
		OWNS_MEM struct image *image = image_of(way_of(i));
		OWNS(thread_names) struct thread_names *n = NULL;
		int err;

		image_rename(image, image->builtins, "buildings");
		n = names_of(image, &err);
		cr_assert(eq(int, err, -EBADMSG));
		cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT) == NULL);
	}
}

Test(thread_names, of_an_unknown_version_are_not_looked_for)
{
	OWNS_MEM struct image *image = image_of(way_of(0));
	OWNS(thread_names) struct thread_names *n = NULL;
	int err;

	image->py.version = 0x031000f0;
	n = names_of(image, &err);
	cr_assert(eq(int, err, -ENOTSUP));
}

Test(thread_names, are_read_anew_each_time)
{
	OWNS_MEM struct image *image = image_of(way_of(0));
	struct target_reader reader = image_reader(image);
	int err;
	OWNS(thread_names) struct thread_names *n = names_of(image, &err);

	cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT) != NULL);
	image_rename(image, image->threading, "reading..");
	cr_assert(eq(int, thread_names_read(n, &reader), 0));
	cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT) == NULL);
}

Test(thread_names, stay_when_a_reading_fails)
{
	OWNS_MEM struct image *image = image_of(way_of(0));
	struct target_reader reader = image_reader(image);
	int err;
	OWNS(thread_names) struct thread_names *n = names_of(image, &err);

	image_rename(image, image->builtins, "buildings");
	cr_assert(eq(int, thread_names_read(n, &reader), -EBADMSG));
	cr_assert(thread_names_find(n, IMAGE_FIRST_IDENT) != NULL);
}

/* Whatever is there: no names, or valid ones. */
static void check_any(struct image *image)
{
	int err;
	OWNS(thread_names) struct thread_names *n = names_of(image, &err);

	for (unsigned int i = 0; i < 3; i++) {
		const char *name = thread_names_find(n, IMAGE_FIRST_IDENT + i);

		cr_assert(name == NULL || (*name && utf8_is_valid(name, strlen(name))));
	}
}

Test(thread_names, may_become_unreadable_at_any_moment)
{
	for (unsigned int i = 0; i < WAYS; i++)
		for (uint32_t reads = 1; reads < MOST_READS; reads++) {
			OWNS_MEM struct image *image = image_of(way_of(i));

			image->reads_left = reads;
			check_any(image);
		}
}

Test(thread_names, may_stand_among_anything)
{
	static const uint64_t odd[] = { 0, UINT64_MAX, 1ull << 63, IMAGE_BASE, IMAGE_BASE + 8 };

	for (unsigned int i = 0; i < WAYS; i++) {
		OWNS_MEM struct image *image = image_of(way_of(i));

		for (uint32_t at = 0; at + 8 <= image->used; at += 8) {
			uint64_t value = odd[at / 8 % 5], before;

			memcpy(&before, image->bytes + at, sizeof(before));
			if (!before)
				continue;
			memcpy(image->bytes + at, &value, sizeof(value));
			check_any(image);
			memcpy(image->bytes + at, &before, sizeof(before));
		}
	}
}
