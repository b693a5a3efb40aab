/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/daemon.h"

#include "base/cleanup.h"
#include "base/log.h"
#include "collect/perf_open.h"
#include "daemon/api.h"
#include "daemon/privileges.h"
#include "daemon/sampler.h"
#include "spprof_api.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/un.h>

struct arguments {
	const char *socket;
	bool is_foreground;
};

static const char usage[] =
	"usage: spprofd --foreground [--socket PATH]\n"
	"\n"
	"  --foreground   run here, with an opener of perf events of its own\n"
	"  --socket PATH  listen there (" SPPROF_SOCKET_DEFAULT ")\n"
	"  --version      print the version\n"
	"  --help         print this\n"
	"\n"
	"Ends with 0 at SIGTERM or SIGINT, 1 if it cannot do its work, 2 for a wrong call.\n";

/* -1: go on; else the exit code. */
static int parse(int argc, char **argv, struct arguments *args)
{
	static const struct option options[] = {
		{ "foreground", no_argument, NULL, 'f' },
		{ "socket", required_argument, NULL, 'S' },
		{ "version", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	int option;

	opterr = 0;
	while ((option = getopt_long(argc, argv, "S:", options, NULL)) != -1)
		switch (option) {
		case 'f':
			args->is_foreground = true;
			break;
		case 'S':
			args->socket = optarg;
			break;
		case 'v':
			return puts("spprofd " SPPROF_VERSION), SPPROF_EXIT_DONE;
		case 'h':
			return fputs(usage, stdout), SPPROF_EXIT_DONE;
		default:
			log_write(LVL_ERROR, 0,
				  "'%s' is not known here or lacks its value: see spprofd --help",
				  argv[optind - 1]);
			return SPPROF_EXIT_USAGE;
		}
	if (optind < argc)
		log_write(LVL_ERROR, 0, "'%s' is not known here: see spprofd --help", argv[optind]);
	else if (!args->is_foreground)
		log_write(LVL_ERROR, 0, "say --foreground: there is no other way to run it yet");
	else if (strlen(args->socket) >= sizeof(((struct sockaddr_un *)0)->sun_path))
		log_write(LVL_ERROR, 0, "a socket's path has at most %zu bytes: %s",
			  sizeof(((struct sockaddr_un *)0)->sun_path) - 1, args->socket);
	else
		return -1;
	return SPPROF_EXIT_USAGE;
}

/* Both threads' loops leave signals to the main one. */
static int take_signals(sd_event *loop)
{
	static const int ends[] = { SIGTERM, SIGINT };
	sigset_t set;
	int err = 0;

	sigemptyset(&set);
	for (unsigned int i = 0; i < 2; i++)
		sigaddset(&set, ends[i]);
	if (sigprocmask(SIG_BLOCK, &set, NULL))
		return -errno;
	signal(SIGPIPE, SIG_IGN);
	for (unsigned int i = 0; err >= 0 && i < 2; i++)
		err = sd_event_add_signal(loop, NULL, ends[i], NULL, NULL); /* ends the loop */
	return err < 0 ? err : 0;
}

static int fail_to_load(int err)
{
	if (err == -EPERM || err == -EACCES)
		return log_error(err,
				 "cannot load the BPF programs or open the clock: start spprofd as "
				 "root (before Linux 5.11 also with RLIMIT_MEMLOCK raised)");
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

static void sd_event_cleanup(sd_event **loop)
{
	sd_event_unref(*loop);
}

static int run(const struct arguments *args)
{
	OWNS_FD int opener = perf_open_spawn();
	OWNS(sd_event) sd_event *loop = NULL;
	int err;

	if (opener < 0)
		return log_error(opener, "cannot start the opener of perf events");
	err = privileges_drop();
	if (err)
		return log_error(err, "cannot give up privileges");
	err = sd_event_new(&loop);
	if (err >= 0)
		err = take_signals(loop);
	if (err)
		return log_error(err, "cannot start the event loop");

	OWNS(sampler) struct sampler *sampler = sampler_new(opener, &err);
	if (!sampler)
		return fail_to_load(err);
	OWNS(api) struct api *api = api_new(loop, args->socket, sampler, &err);
	if (!api)
		return fail_to_listen(err, args->socket);
	err = sampler_start(sampler);
	if (err)
		return log_error(err, "cannot start the sampler's thread");
	log_info("ready on %s", args->socket);
	return sd_event_loop(loop);
}

int daemon_main(int argc, char **argv)
{
	struct arguments args = { .socket = SPPROF_SOCKET_DEFAULT };
	int code = parse(argc, argv, &args);

	if (code >= 0)
		return code;
	return run(&args) < 0 ? SPPROF_EXIT_FAILED : SPPROF_EXIT_DONE;
}
