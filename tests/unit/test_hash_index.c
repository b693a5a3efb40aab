/* SPDX-License-Identifier: Apache-2.0 */
#include "base/hash_index.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

/* Hashes of test keys: spread over all bits. */
static uint64_t hash_of(uint32_t key)
{
	return key * 0x9e3779b97f4a7c15ull;
}

/* How often @number is among those that may have @hash. */
static int times_found(const struct hash_index *ix, uint64_t hash, uint32_t number)
{
	struct hash_probe p = hash_index_find(ix, hash);
	uint32_t i;
	int times = 0;

	while (hash_probe_next(&p, &i))
		times += i == number;
	return times;
}

Test(hash_index, an_empty_one_has_nothing)
{
	struct hash_index ix = { 0 };
	struct hash_probe p = hash_index_find(&ix, 1);
	uint32_t number;

	cr_expect(not(hash_probe_next(&p, &number)));
	hash_index_fini(&ix);
}

Test(hash_index, each_number_is_found_once_while_it_grows)
{
	struct hash_index ix = { 0 };

	for (uint32_t i = 0; i < 10000; i++)
		cr_assert(eq(int, hash_index_add(&ix, hash_of(i), i), 0));
	for (uint32_t i = 0; i < 10000; i++)
		cr_assert(eq(int, times_found(&ix, hash_of(i), i), 1), "%u", i);
	cr_expect(eq(sz, ix.count, 10000));
	hash_index_fini(&ix);
}

Test(hash_index, all_numbers_of_one_hash_are_given)
{
	struct hash_index ix = { 0 };

	for (uint32_t i = 0; i < 1000; i++)
		cr_assert(eq(int, hash_index_add(&ix, 42, i), 0));
	for (uint32_t i = 0; i < 1000; i++)
		cr_assert(eq(int, times_found(&ix, 42, i), 1), "%u", i);
	hash_index_fini(&ix);
}

Test(hash_index, a_probe_ends_also_among_foreign_hashes)
{
	struct hash_index ix = { 0 };
	struct hash_probe p;
	uint32_t number;
	int others = 0;

	for (uint32_t i = 0; i < 1000; i++)
		cr_assert(eq(int, hash_index_add(&ix, hash_of(i), i), 0));
	for (uint32_t i = 1000; i < 2000; i++) {
		p = hash_index_find(&ix, hash_of(i));
		while (hash_probe_next(&p, &number))
			others++;
	}
	cr_expect(lt(int, others, 10)); /* 32 bits of hash seldom agree by chance */
	hash_index_fini(&ix);
}

Test(hash_index, the_greatest_hash_and_the_greatest_number_are_kept)
{
	struct hash_index ix = { 0 };

	cr_assert(eq(int, hash_index_add(&ix, UINT64_MAX, UINT32_MAX - 1), 0));
	cr_assert(eq(int, hash_index_add(&ix, 0, 0), 0));
	cr_expect(eq(int, times_found(&ix, UINT64_MAX, UINT32_MAX - 1), 1));
	cr_expect(eq(int, times_found(&ix, 0, 0), 1));
	hash_index_fini(&ix);
}

Test(hash_index, after_fini_it_is_empty)
{
	struct hash_index ix = { 0 };

	cr_assert(eq(int, hash_index_add(&ix, 1, 1), 0));
	hash_index_fini(&ix);
	cr_expect(eq(int, times_found(&ix, 1, 1), 0));
	cr_assert(eq(int, hash_index_add(&ix, 1, 2), 0));
	cr_expect(eq(int, times_found(&ix, 1, 2), 1));
	hash_index_fini(&ix);
}
