/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/heap_schedule.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>

#define SECOND UINT64_C(1000000000)
#define MS UINT64_C(1000000)

static const struct {
	unsigned int seconds;
	uint64_t scan_ns;
	unsigned int scans;
	uint64_t pause_ns;
} rows[] = {
	/* With an end in sight. */
	{ 60, 10 * MS, 1, 5 * SECOND },
	{ 60, 10 * MS, 500, 5 * SECOND },
	{ 6, 10 * MS, 1, SECOND },
	{ 1, 0, 0, SECOND },
	{ 10, 100 * MS, 1, 2 * SECOND },
	{ 86400, 10 * MS, 1, 7200 * SECOND },
	/* Without. */
	{ 0, 10 * MS, 1, 5 * SECOND },
	{ 0, 200 * MS, 1, 10 * SECOND },
	{ 0, 10 * MS, 63, 5 * SECOND },
	{ 0, 10 * MS, 64, 10 * SECOND },
	{ 0, 10 * MS, 127, 10 * SECOND },
	{ 0, 10 * MS, 128, 20 * SECOND },
	{ 0, 10 * MS, 100000, 600 * SECOND },
	{ 0, 10 * MS, UINT32_MAX, 600 * SECOND },
	{ 0, 20 * SECOND, 1, 600 * SECOND },
	/* No scan takes more than a twentieth of the time. */
	{ 0, 40 * SECOND, 1, 800 * SECOND },
	{ 10, UINT64_MAX, 1, 1200 * SECOND },
	{ 0, UINT64_MAX, UINT32_MAX, 1200 * SECOND },
};

Test(heap_schedule, scans_get_rarer_with_what_they_take_and_with_their_number)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		cr_expect(
			eq(u64,
			   heap_schedule_pause_ns(rows[i].seconds, rows[i].scan_ns, rows[i].scans),
			   rows[i].pause_ns),
			"row %zu", i);
}
