/* SPDX-License-Identifier: Apache-2.0 */
/*
 * service - what a service manager wants to hear: that we are ready, what we do, that the main and
 * the sampler's thread are alive (the worker's may be busy with one heap for seconds); and SIGHUP,
 * which reads the configuration again. The main thread's. All of it also runs where nobody listens.
 */
#ifndef SPPROF_SERVICE_H
#define SPPROF_SERVICE_H

#include "base/cleanup.h"

#include <systemd/sd-event.h>

struct api;
struct arguments;
struct config;
struct sampler;
struct service;

/*
 * Tells that we are ready as soon as the sampler's thread has looked at every process. SIGHUP
 * must be blocked in every thread. @args, @s and @a outlive it; @config is what they run with.
 * NULL and *@err on failure.
 */
struct service *service_new(sd_event *loop, const struct arguments *args,
			    const struct config *config, struct sampler *s, struct api *a,
			    int *err);

/* Tells that we are stopping, and ends the sampler's thread. NULL is fine. */
void service_free(struct service *v);
DEFINE_OWNS(service);

/* While we are stopping: it takes another while, of at most 15 s. From any thread. */
void service_need_time(void);

#endif
