/* SPDX-License-Identifier: Apache-2.0 */
/* The endpoints of the control API, served in the main thread. */
#ifndef SPPROF_DAEMON_API_H
#define SPPROF_DAEMON_API_H

#include "base/cleanup.h"

#include <systemd/sd-event.h>

struct api;
struct config;
struct sampler;
struct worker;

/*
 * Serves on the Unix socket @path inside @loop; @s and @w outlive it. NULL and *@err on failure,
 * as control_server_new() has them.
 */
struct api *api_new(sd_event *loop, const char *path, struct sampler *s, struct worker *w,
		    int *err);
/* As @config says, for requests from now on. */
void api_configure(struct api *a, const struct config *config);
/* Ends what runs, answers it, stops both threads and closes the socket. NULL is fine. */
void api_free(struct api *a);
DEFINE_OWNS(api);

#endif
