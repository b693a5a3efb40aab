/* SPDX-License-Identifier: Apache-2.0 */
/* Any bytes are a configuration within its bounds, or an error of one harmless line. */
#include "daemon/config.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

static void expect(bool is_so)
{
	if (!is_so)
		abort();
}

static bool is_between(uint64_t value, uint64_t min, uint64_t max)
{
	return value >= min && value <= max;
}

static void check_bounds(const struct config *c)
{
	expect(*c->socket == '/' && memchr(c->socket, '\0', sizeof(c->socket)));
	expect(c->sample_hz <= 10000);
	expect(is_between(c->window_ns, 10000000000, 3600000000000));
	expect(is_between(c->window_bytes, 1 << 20, 1ull << 32));
	expect(is_between(c->recording_bytes, 1 << 20, 1ull << 32));
	expect(is_between(c->connections, 4, 4096));
	expect(is_between(c->connections_per_user, 1, 4096));
	expect(is_between(c->recordings_per_user, 1, 1024));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct config c = config_default;
	int err = config_parse("name", (const char *)data, len, &c, &why);

	check_bounds(&c); /* also of what was set before an error */
	expect(err ? err == -EINVAL && why.len : !why.len);
	if (!err)
		return 0;
	expect(!strncmp(why.data, "name:", 5) && utf8_is_valid(why.data, why.len));
	for (size_t i = 0; i < why.len; i++)
		expect((uint8_t)why.data[i] >= ' ' && why.data[i] != 0x7F);
	return 0;
}
