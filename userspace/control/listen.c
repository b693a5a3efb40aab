/* SPDX-License-Identifier: Apache-2.0 */
#include "control/listen.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

static int set_address(const char *path, struct sockaddr_un *at)
{
	size_t len = strlen(path);

	if (!len)
		return -ENOENT;
	if (len >= sizeof(at->sun_path))
		return -ENAMETOOLONG;
	*at = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(at->sun_path, path, len + 1);
	return 0;
}

static int open_socket(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	return fd < 0 ? -errno : fd;
}

/* 0 if @at is free or was freed. */
static int clear_stale(const struct sockaddr_un *at)
{
	OWNS_FD int fd = -1;
	struct stat st;

	if (lstat(at->sun_path, &st) < 0)
		return errno == ENOENT ? 0 : -errno;
	if (!S_ISSOCK(st.st_mode))
		return -EEXIST;
	fd = open_socket();
	if (fd < 0)
		return fd;
	/* EAGAIN: so many wait for an answer that the queue is full. */
	if (!connect(fd, (const struct sockaddr *)at, sizeof(*at)) || errno == EAGAIN)
		return -EADDRINUSE;
	if (errno != ECONNREFUSED)
		return errno == ENOENT ? 0 : -errno;
	return unlink(at->sun_path) && errno != ENOENT ? -errno : 0;
}

/* Nobody can connect between bind() and chmod(), whatever the caller's umask is. */
static int bind_private(int fd, const struct sockaddr_un *at)
{
	mode_t before = umask(0177);
	int err = bind(fd, (const struct sockaddr *)at, sizeof(*at)) ? -errno : 0;

	umask(before);
	return err;
}

static int remember(const char *path, struct listen_place *place)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return -errno;
	place->path = strdup(path);
	place->device = st.st_dev;
	place->inode = st.st_ino;
	return place->path ? 0 : -ENOMEM;
}

static int open_to_all(int fd, const char *path, struct listen_place *place)
{
	int err = remember(path, place);

	if (!err && (listen(fd, SOMAXCONN) < 0 || chmod(path, 0666) < 0))
		err = -errno;
	return err;
}

int listen_at(const char *path, struct listen_place *place)
{
	OWNS(listen_place) struct listen_place made = { 0 };
	OWNS_FD int fd = -1;
	struct sockaddr_un at;
	int err = set_address(path, &at);

	if (!err)
		err = clear_stale(&at);
	if (err)
		return err;
	fd = open_socket();
	if (fd < 0)
		return TAKE_FD(fd);
	err = bind_private(fd, &at);
	if (!err)
		err = open_to_all(fd, path, &made);
	if (err)
		return err;
	*place = made;
	made = (struct listen_place){ 0 };
	return TAKE_FD(fd);
}

void listen_place_fini(struct listen_place *place)
{
	struct stat st;

	/* A second daemon may have taken the place after somebody removed our socket. */
	if (place->path && !lstat(place->path, &st) && st.st_dev == place->device &&
	    st.st_ino == place->inode)
		unlink(place->path);
	free(place->path);
	*place = (struct listen_place){ 0 };
}
