/* SPDX-License-Identifier: Apache-2.0 */
/* Programs that never were a Python are told from those that were, or may be. */
#include "daemon/program_memory.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <unistd.h>

#define OFTEN 100

static void look(struct program_memory *m, const struct program_id *id, unsigned int times)
{
	while (times--)
		program_memory_learn(m, id, false);
}

Test(program_memory, a_program_is_dull_after_many_looks_and_not_before)
{
	OWNS(program_memory) struct program_memory *m = program_memory_new();
	const struct program_id id = { 1, 2, 3 };

	cr_assert(m != NULL);
	cr_expect(not(program_memory_is_dull(m, &id)));
	look(m, &id, 1);
	cr_expect(not(program_memory_is_dull(m, &id)));
	look(m, &id, OFTEN);
	cr_expect(program_memory_is_dull(m, &id));
}

Test(program_memory, what_was_a_python_once_is_never_dull)
{
	OWNS(program_memory) struct program_memory *m = program_memory_new();
	const struct program_id id = { 1, 2, 3 };

	cr_assert(m != NULL);
	look(m, &id, OFTEN);
	program_memory_learn(m, &id, true);
	look(m, &id, OFTEN);
	cr_expect(not(program_memory_is_dull(m, &id)));
}

Test(program_memory, a_changed_file_is_another_program)
{
	OWNS(program_memory) struct program_memory *m = program_memory_new();
	const struct program_id before = { 1, 2, 3 }, after = { 1, 2, 4 };

	cr_assert(m != NULL);
	look(m, &before, OFTEN);
	cr_expect(not(program_memory_is_dull(m, &after)));
}

Test(program_memory, what_cannot_be_told_is_not_dull)
{
	OWNS(program_memory) struct program_memory *m = program_memory_new();
	const struct program_id none = program_id_of(-1);

	cr_assert(m != NULL);
	look(m, &none, OFTEN);
	cr_expect(not(program_memory_is_dull(m, &none)));
	cr_expect(ne(u64, program_id_of(getpid()).inode, 0));
}
