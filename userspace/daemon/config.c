/* SPDX-License-Identifier: Apache-2.0 */
/* The files: the one that is named, and those in its folder. */
#include "daemon/config.h"

#include "base/utf8.h"
#include "daemon/config_value.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define FILE_BYTES (64 << 10)
#define SUFFIX ".conf"

static int fail(struct buffer *why, const char *path, int err)
{
	buffer_add_text(why, "cannot read ");
	utf8_add_visible(why, path);
	buffer_print(why, ": %s", err == -EFBIG ? "it has more than 64KiB" : strerror(-err));
	return err;
}

static int read_all(const char *path, struct buffer *out)
{
	/* Of a FIFO that nobody writes to, a reload must not wait for the end. */
	OWNS_FD int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char bytes[4096];
	ssize_t got;

	if (fd < 0)
		return -errno;
	while ((got = read(fd, bytes, sizeof(bytes))) > 0) {
		buffer_add(out, bytes, got);
		if (out->len > FILE_BYTES)
			return -EFBIG;
	}
	return got < 0 ? -errno : buffer_error(out);
}

static int read_file(const char *path, struct config *config, struct buffer *why)
{
	OWNS(buffer) struct buffer text = { 0 };
	int err = read_all(path, &text);

	return err ? fail(why, path, err) : config_parse(path, text.data, text.len, config, why);
}

static int is_drop_in(const struct dirent *entry)
{
	size_t len = strlen(entry->d_name), end = strlen(SUFFIX);

	return *entry->d_name != '.' && len > end && !strcmp(entry->d_name + len - end, SUFFIX);
}

/* Not alphasort(), whose order depends on the locale. */
static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int read_drop_ins(const char *folder, struct config *config, struct buffer *why)
{
	struct dirent **found;
	int count = scandir(folder, &found, is_drop_in, by_name);
	int err = 0;

	if (count < 0)
		return errno == ENOENT ? 0 : fail(why, folder, -errno);
	for (int i = 0; i < count; i++) {
		OWNS(buffer) struct buffer path = { 0 };

		buffer_print(&path, "%s/%s", folder, found[i]->d_name);
		free(found[i]);
		if (!err)
			err = buffer_error(&path);
		if (!err)
			err = read_file(path.data, config, why);
	}
	free(found);
	return err;
}

int config_load(const char *path, struct config *out, struct buffer *why)
{
	const char *file = path ? path : CONFIG_FILE_DEFAULT;
	OWNS(buffer) struct buffer folder = { 0 };
	struct config config = config_default;
	int err = 0;

	buffer_print(&folder, "%s.d", file);
	if (buffer_error(&folder))
		return buffer_error(&folder);
	if (path || access(file, F_OK) == 0 || errno != ENOENT)
		err = read_file(file, &config, why);
	if (!err)
		err = read_drop_ins(folder.data, &config, why);
	if (!err)
		*out = config;
	return err;
}

void config_describe(const struct config *config, struct buffer *out)
{
	if (config->sample_hz)
		buffer_print(out, "%u Hz", config->sample_hz);
	else
		buffer_add_text(out, "on demand");
	buffer_print(out, ", %u frames, windows of ", config->stack_depth);
	config_value_add(out, config->window_ns, config_times);
	buffer_add_text(out, " in ");
	config_value_add(out, config->window_bytes, config_sizes);
	buffer_add_text(out, ", recordings in ");
	config_value_add(out, config->recording_bytes, config_sizes);
	buffer_print(out, ", %u connections (%u a user), %u recordings a user", config->connections,
		     config->connections_per_user, config->recordings_per_user);
}
