/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/arguments.h"

#include "daemon/config.h"
#include "spprof_api.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>

const char arguments_usage[] =
	"usage: spprofd [--foreground] [--config FILE] [--socket PATH] [--check-config]\n"
	"\n"
	"  --foreground    run here, with an opener of perf events of its own\n"
	"  --config FILE   read FILE, then FILE.d/*.conf (" CONFIG_FILE_DEFAULT ")\n"
	"  --socket PATH   listen there, whatever the configuration says\n"
	"  --check-config  read the configuration, say what is wrong with it, and end\n"
	"  --version       print the version\n"
	"  --help          print this\n"
	"\n"
	"Without --foreground it is a service: systemctl start spprofd.\n"
	"SIGHUP reads the configuration again.\n"
	"Ends with 0 at SIGTERM or SIGINT, 1 if it cannot do its work, 2 for a wrong call or\n"
	"configuration.\n";

static const struct option options[] = {
	{ "foreground", no_argument, NULL, 'f' },
	{ "config", required_argument, NULL, 'c' },
	{ "socket", required_argument, NULL, 'S' },
	{ "check-config", no_argument, NULL, 'C' },
	{ "opener", required_argument, NULL, 'o' }, /* for tests: not in the usage */
	{ "version", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, 'h' },
	{ NULL, 0, NULL, 0 },
};

/* False: no such option. */
static bool take(struct arguments *args, int option)
{
	switch (option) {
	case 'f':
		args->is_foreground = true;
		return true;
	case 'c':
		args->config = optarg;
		return true;
	case 'S':
		args->socket = optarg;
		return true;
	case 'o':
		args->opener = optarg;
		return true;
	case 'C':
		args->task = TASK_CHECK_CONFIG;
		return true;
	case 'v':
		args->task = TASK_VERSION;
		return true;
	case 'h':
		args->task = TASK_HELP;
		return true;
	default:
		return false;
	}
}

static int check(const struct arguments *args, struct buffer *why)
{
	size_t most = sizeof(((struct config *)0)->socket) - 1;

	if (args->socket && strlen(args->socket) > most)
		buffer_print(why, "a socket's path has at most %zu bytes: %s", most, args->socket);
	else if (args->is_foreground && args->opener)
		buffer_add_text(why, "--foreground has an opener of its own: leave out --opener");
	else
		return 0;
	return -EINVAL;
}

int arguments_parse(int argc, char **argv, struct arguments *out, struct buffer *why)
{
	struct arguments args = { 0 };
	int option, err;

	opterr = 0;
	optind = 0;
	while ((option = getopt_long(argc, argv, ":S:", options, NULL)) != -1) {
		const char *given = argv[optind - 1];

		if (!take(&args, option)) {
			buffer_print(why, "'%s' %s: see spprofd --help", given,
				     option == ':' ? "lacks its value" : "is not known here");
			return -EINVAL;
		}
		if (args.task == TASK_VERSION || args.task == TASK_HELP)
			break; /* whatever follows */
	}
	if (args.task != TASK_VERSION && args.task != TASK_HELP && optind < argc) {
		buffer_print(why, "'%s' is not known here: see spprofd --help", argv[optind]);
		return -EINVAL;
	}
	err = check(&args, why);
	if (!err)
		*out = args;
	return err;
}

int arguments_config(const struct arguments *args, struct config *out, struct buffer *why)
{
	int err = config_load(args->config, out, why);

	if (!err && args->socket)
		memcpy(out->socket, args->socket, strlen(args->socket) + 1);
	return err;
}
