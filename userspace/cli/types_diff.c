/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/types_diff.h"

#include "base/buffer.h"
#include "base/hash_index.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <xxhash.h>

struct series {
	char *name, *module;
	bool is_storage;
	bool has_changed;
	uint64_t objects_before, bytes_before, objects, bytes;
	uint32_t seen; /* scan that it was last in, from 1 */
	struct trend_sums objects_sums, bytes_sums;
};

struct types_diff {
	struct series *series;
	uint32_t count, room;
	struct hash_index index;
	uint64_t seed; /* names come from targets and files */
	struct trend_times times;
	struct types_row *rows; /* of the last call */
	uint32_t unchanged;
	bool has_before;
};

struct types_diff *types_diff_new(void)
{
	OWNS(types_diff) struct types_diff *d = calloc(1, sizeof(*d));

	if (d && getrandom(&d->seed, sizeof(d->seed), GRND_NONBLOCK) != sizeof(d->seed))
		d->seed = (uintptr_t)d; /* no worse than none */
	return TAKE(d);
}

void types_diff_free(struct types_diff *d)
{
	if (!d)
		return;
	for (uint32_t i = 0; i < d->count; i++) {
		free(d->series[i].name);
		free(d->series[i].module);
	}
	hash_index_fini(&d->index);
	free(d->series);
	free(d->rows);
	free(d);
}

static uint64_t hash_of(const struct types_diff *d, const struct heap_type *row)
{
	uint64_t hash = XXH3_64bits_withSeed(row->name, strlen(row->name), d->seed);

	return XXH3_64bits_withSeed(row->module, strlen(row->module), hash + row->is_storage);
}

static bool is_same(const struct series *s, const struct heap_type *row)
{
	return s->is_storage == row->is_storage && !strcmp(s->name, row->name) &&
	       !strcmp(s->module, row->module);
}

static int append(struct types_diff *d, const struct heap_type *row, uint64_t hash)
{
	OWNS_MEM char *name = strdup(row->name), *module = NULL;
	uint32_t room = d->room ? d->room * 2 : 256;
	int err;

	module = strdup(row->module);
	if (!name || !module)
		return -ENOMEM;
	if (d->count == d->room) {
		struct series *grown = reallocarray(d->series, room, sizeof(*grown));

		if (!grown)
			return -ENOMEM;
		d->series = grown;
		d->room = room;
	}
	err = hash_index_add(&d->index, hash, d->count);
	if (err)
		return err;
	d->series[d->count++] = (struct series){
		.name = TAKE(name),
		.module = TAKE(module),
		.is_storage = row->is_storage,
	};
	return 0;
}

/* The series of @row, which is made if there is none; NULL when out of memory. */
static struct series *series_of(struct types_diff *d, const struct heap_type *row)
{
	uint64_t hash = hash_of(d, row);
	struct hash_probe probe = hash_index_find(&d->index, hash);
	uint32_t i;

	while (hash_probe_next(&probe, &i))
		if (is_same(&d->series[i], row))
			return &d->series[i];
	return append(d, row, hash) ? NULL : &d->series[d->count - 1];
}

int types_diff_set_before(struct types_diff *d, const struct heap_types *heap)
{
	d->has_before = true;
	for (uint32_t i = 0; i < heap->count; i++) {
		struct series *s = series_of(d, &heap->rows[i]);

		if (!s)
			return -ENOMEM;
		s->objects_before += heap->rows[i].objects;
		s->bytes_before += heap->rows[i].bytes;
	}
	return 0;
}

/* What a scan found, without telling the trend yet: a pair may be in a file twice. */
static int take_scan(struct types_diff *d, const struct heap_types *heap, uint32_t scan)
{
	for (uint32_t i = 0; i < heap->count; i++) {
		struct series *s = series_of(d, &heap->rows[i]);

		if (!s)
			return -ENOMEM;
		if (s->seen != scan)
			s->objects = s->bytes = 0;
		s->seen = scan;
		s->objects += heap->rows[i].objects;
		s->bytes += heap->rows[i].bytes;
	}
	return 0;
}

static void add_to_trend(struct types_diff *d, struct series *s, double seconds)
{
	double bytes = s->bytes_sums.last + s->bytes_sums.base;
	double objects = s->objects_sums.last + s->objects_sums.base;

	if (s->seen != d->times.count + 1)
		s->objects = s->bytes = 0;
	if (!d->times.count && !d->has_before) {
		s->objects_before = s->objects;
		s->bytes_before = s->bytes;
	}
	if (d->times.count && ((double)s->bytes != bytes || (double)s->objects != objects))
		s->has_changed = true;
	trend_sums_add(&s->objects_sums, &d->times, seconds, s->objects);
	trend_sums_add(&s->bytes_sums, &d->times, seconds, s->bytes);
}

int types_diff_add(struct types_diff *d, const struct heap_types *heap, double seconds)
{
	int err = take_scan(d, heap, d->times.count + 1);

	if (err)
		return err;
	for (uint32_t i = 0; i < d->count; i++)
		add_to_trend(d, &d->series[i], seconds);
	trend_times_add(&d->times, seconds);
	return 0;
}

static bool is_changed(const struct series *s)
{
	return s->has_changed || s->objects != s->objects_before || s->bytes != s->bytes_before;
}

/* Of two points: before, and the only scan. */
static struct trend growth(uint64_t before, uint64_t after, double since_s)
{
	double slope = since_s > 0 ? ((double)after - (double)before) / since_s : 0;

	return (struct trend){ .has_slope = since_s > 0, .slope = slope, .least = slope };
}

static struct types_row row_of(const struct types_diff *d, const struct series *s, double since_s)
{
	struct types_row row = {
		.name = s->name,
		.module = s->module,
		.is_storage = s->is_storage,
		.objects_before = s->objects_before,
		.bytes_before = s->bytes_before,
		.objects = s->objects,
		.bytes = s->bytes,
	};

	if (d->times.count > 1) {
		row.objects_trend = trend_of(&d->times, &s->objects_sums);
		row.bytes_trend = trend_of(&d->times, &s->bytes_sums);
	} else {
		row.objects_trend = growth(s->objects_before, s->objects, since_s);
		row.bytes_trend = growth(s->bytes_before, s->bytes, since_s);
	}
	return row;
}

static double grown(const struct types_row *row)
{
	return (double)row->bytes - (double)row->bytes_before;
}

bool types_row_grows(const struct types_row *row)
{
	return row->bytes_trend.has_slope ? row->bytes_trend.least > 0 : grown(row) > 0;
}

/* What rows of one kind are sorted by. */
static double weight_of(const struct types_row *row)
{
	if (!row->bytes_trend.has_slope)
		return grown(row);
	return types_row_grows(row) ? row->bytes_trend.least : row->bytes_trend.slope;
}

static int compare_rows(const void *a, const void *b)
{
	const struct types_row *left = a, *right = b;
	int order = types_row_grows(right) - types_row_grows(left);
	double first = weight_of(left), second = weight_of(right);

	if (!order)
		order = (first < second) - (first > second);
	if (!order)
		order = (grown(left) < grown(right)) - (grown(left) > grown(right));
	if (!order)
		order = strcmp(left->module, right->module);
	return order ? order : strcmp(left->name, right->name);
}

const struct types_row *types_diff_rows(struct types_diff *d, double since_s, uint32_t *count)
{
	free(d->rows);
	d->rows = d->times.count ? calloc(d->count + 1ul, sizeof(*d->rows)) : NULL;
	*count = 0;
	if (!d->rows)
		return NULL;
	for (uint32_t i = 0; i < d->count; i++)
		if (is_changed(&d->series[i]))
			d->rows[(*count)++] = row_of(d, &d->series[i], since_s);
	d->unchanged = d->count - *count;
	qsort(d->rows, *count, sizeof(*d->rows), compare_rows);
	return d->rows;
}

uint32_t types_diff_scans(const struct types_diff *d)
{
	return d->times.count;
}

uint32_t types_diff_unchanged(const struct types_diff *d)
{
	return d->unchanged;
}
