/* SPDX-License-Identifier: Apache-2.0 */
/* spprofctl: the command line of spprofd. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
	return cli_main(argc, argv);
}
