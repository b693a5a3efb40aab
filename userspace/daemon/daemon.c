/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/daemon.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "collect/perf_open.h"
#include "daemon/announce.h"
#include "daemon/api.h"
#include "daemon/arguments.h"
#include "daemon/config.h"
#include "daemon/privileges.h"
#include "daemon/sampler.h"
#include "daemon/service.h"
#include "daemon/worker.h"
#include "spprof_api.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>

#define DESCRIPTORS 16384 /* as systemd/spprofd.service has it */

static void sd_event_cleanup(sd_event **loop)
{
	sd_event_unref(*loop);
}

/* The other threads' loops leave signals to the main one; SIGHUP is the service's. */
static int take_signals(sd_event *loop)
{
	static const int ends[] = { SIGTERM, SIGINT };
	sigset_t set;
	int err = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGHUP);
	for (unsigned int i = 0; i < 2; i++)
		sigaddset(&set, ends[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	for (unsigned int i = 0; err >= 0 && i < 2; i++)
		err = sd_event_add_signal(loop, NULL, ends[i], NULL, NULL); /* ends the loop */
	return err < 0 ? err : 0;
}

static int open_opener(const struct arguments *args)
{
	const char *path = args->opener ? args->opener : SPPROF_OPENER_DEFAULT;
	int fd = args->is_foreground ? perf_open_spawn() : perf_open_connect(path);

	if (fd < 0 && args->is_foreground)
		log_error(fd, "cannot start the opener of perf events");
	else if (fd < 0)
		log_error(fd,
			  "cannot reach the opener of perf events on %s: start spprofd by "
			  "`systemctl start spprofd`, or with --foreground",
			  path);
	return fd;
}

/* Each probe has up to four descriptors, each client one: what a shell allows is soon used up. */
static void allow_descriptors(void)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit) || limit.rlim_cur >= DESCRIPTORS)
		return;
	limit.rlim_cur = limit.rlim_max < DESCRIPTORS ? limit.rlim_max : DESCRIPTORS;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

/* What comes before the first look at another process. */
static int prepare(sd_event **loop)
{
	int err = privileges_drop();

	if (err)
		return log_error(err, "cannot give up privileges");
	allow_descriptors();
	err = sd_event_new(loop);
	if (err >= 0)
		err = take_signals(*loop);
	return err < 0 ? log_error(err, "cannot start the event loop") : 0;
}

static int fail_to_load(int err)
{
	if (err == -EPERM || err == -EACCES)
		return log_error(err,
				 "cannot load the BPF programs or open the clock: start spprofd as "
				 "root (before Linux 5.11 also with RLIMIT_MEMLOCK raised)");
	if (err == -ENOTSUP)
		return log_error(err,
				 "cannot load the BPF programs: this kernel's verifier "
				 "refuses them; 5.10, 6.1, 6.12 and 6.18 are known to take them");
	if (err == -ECONNRESET || err == -EPIPE)
		return log_error(err, "cannot open the clock: the opener of perf events has left; "
				      "`journalctl -u spprof-perf` may tell why");
	return log_error(err, "cannot load the BPF programs and open the clock");
}

static int fail_to_listen(int err, const char *path)
{
	if (err == -EADDRINUSE)
		return log_error(err,
				 "cannot listen on %s: another spprofd answers there; stop it or "
				 "choose another --socket",
				 path);
	return log_error(err, "cannot listen on %s", path);
}

static int run(const struct arguments *args, const struct config *config)
{
	OWNS_FD int opener = open_opener(args);
	OWNS(sd_event) sd_event *loop = NULL;
	int err = opener < 0 ? opener : prepare(&loop);

	if (err)
		return err;
	OWNS(sampler) struct sampler *sampler = sampler_new(opener, config->stack_depth, &err);
	if (!sampler)
		return fail_to_load(err);
	OWNS(worker) struct worker *worker = worker_new(&err);
	if (!worker)
		return log_error(err, "cannot start the worker's thread");
	err = sampler_follow_heaps(sampler, worker, opener);
	if (err)
		return log_error(err, "cannot follow heaps");
	OWNS(api) struct api *api = api_new(loop, config->socket, sampler, worker, &err);
	if (!api)
		return fail_to_listen(err, config->socket);
	announce_start(config);
	api_configure(api, config);
	err = sampler_configure(sampler, config);
	if (err)
		return log_error(err, "cannot start the clock");
	err = sampler_start(sampler);
	if (err)
		return log_error(err, "cannot start the sampler's thread");
	OWNS(service) struct service *service = service_new(loop, args, config, sampler, api, &err);
	if (!service)
		return log_error(err, "cannot wait for signals and time");
	return sd_event_loop(loop);
}

static int fail_usage(const struct buffer *why)
{
	log_write(LVL_ERROR, 0, "%s", why->data ? why->data : "out of memory");
	return SPPROF_EXIT_USAGE;
}

static int say_fine(const struct arguments *args, const struct config *config)
{
	OWNS(buffer) struct buffer line = { 0 };

	buffer_print(&line, "%s: fine: ", args->config ? args->config : CONFIG_FILE_DEFAULT);
	config_describe(config, &line);
	return buffer_error(&line) || puts(line.data) < 0 ? SPPROF_EXIT_FAILED : SPPROF_EXIT_DONE;
}

int daemon_main(int argc, char **argv)
{
	OWNS(buffer) struct buffer why = { 0 };
	struct arguments args;
	struct config config;

	if (arguments_parse(argc, argv, &args, &why))
		return fail_usage(&why);
	if (args.task == TASK_VERSION)
		return puts("spprofd " SPPROF_VERSION), SPPROF_EXIT_DONE;
	if (args.task == TASK_HELP)
		return fputs(arguments_usage, stdout), SPPROF_EXIT_DONE;
	if (arguments_config(&args, &config, &why))
		return fail_usage(&why);
	if (args.task == TASK_CHECK_CONFIG)
		return say_fine(&args, &config);
	return run(&args, &config) < 0 ? SPPROF_EXIT_FAILED : SPPROF_EXIT_DONE;
}
