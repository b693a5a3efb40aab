/* SPDX-License-Identifier: Apache-2.0 */
#include "resolve/page_reader.h"

#include <stdlib.h>
#include <string.h>

#define SPREAD 0x9e3779b97f4a7c15ull /* pages of one arena do not all fall on one place */

struct page_reader *page_reader_new(const struct target_reader *from)
{
	struct page_reader *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->from = *from;
	memset(p->starts, 0, sizeof(p->starts));
	return p;
}

/* NULL and *@err if it cannot be read. */
static const uint8_t *find_page(struct page_reader *p, uint64_t start, int *err)
{
	unsigned int i = (start * SPREAD >> 32) % PAGE_READER_PAGES;

	if (p->starts[i] == start + 1)
		return p->pages[i];
	p->starts[i] = 0;
	*err = p->from.read(p->from.ctx, start, p->pages[i], PAGE_READER_BYTES);
	if (*err)
		return NULL;
	p->starts[i] = start + 1;
	return p->pages[i];
}

static int read_through(void *ctx, uint64_t addr, void *dst, size_t len)
{
	struct page_reader *p = ctx;
	uint8_t *to = dst;

	while (len) {
		uint64_t start = addr & ~(uint64_t)(PAGE_READER_BYTES - 1);
		size_t left = start + PAGE_READER_BYTES - addr, part = len < left ? len : left;
		int err;
		const uint8_t *page = find_page(p, start, &err);

		if (!page)
			return err;
		memcpy(to, page + (addr - start), part);
		addr += part;
		to += part;
		len -= part;
	}
	return 0;
}

struct target_reader page_reader_as_reader(struct page_reader *p)
{
	return (struct target_reader){ .read = read_through, .ctx = p };
}
