/* SPDX-License-Identifier: Apache-2.0 */
/* spprofd - the profiling daemon. Wiring only. */
#include "base/log.h"
#include "daemon/daemon.h"

int main(int argc, char **argv)
{
	log_open("spprofd", LVL_INFO);
	return daemon_main(argc, argv);
}
