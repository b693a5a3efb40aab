/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/privileges.h"

#include <cap-ng.h>
#include <errno.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>

/* systemd/spprofd.service has the same list. */
static const unsigned int kept[] = {
	CAP_BPF,		/* maps and programs */
	CAP_PERFMON,		/* programs that read memory and run on perf events */
	CAP_SYS_PTRACE,		/* process_vm_readv() and /proc/PID of other users */
	CAP_DAC_READ_SEARCH,	/* their files */
	CAP_CHECKPOINT_RESTORE, /* /proc/PID/map_files: what was deleted but is mapped */
	CAP_SYSLOG,		/* kernel addresses in kallsyms */
};

/* Run as root, and as the user spprof, whose unit hands it the list above as ambient ones. */
static int drop_capabilities(void)
{
	capng_select_t sets = CAPNG_SELECT_CAPS;

	if (capng_get_caps_process())
		return -errno;
	if (capng_have_capability(CAPNG_EFFECTIVE, CAP_SETPCAP))
		sets = CAPNG_SELECT_BOTH; /* else the bounding set is as the unit made it */
	for (unsigned int cap = 0; cap <= CAP_LAST_CAP; cap++) {
		unsigned int i = 0;

		while (i < sizeof(kept) / sizeof(kept[0]) && kept[i] != cap)
			i++;
		if (i == sizeof(kept) / sizeof(kept[0]))
			capng_update(CAPNG_DROP,
				     CAPNG_EFFECTIVE | CAPNG_PERMITTED | CAPNG_BOUNDING_SET, cap);
		else if (capng_have_capability(CAPNG_PERMITTED, cap))
			capng_update(CAPNG_ADD, CAPNG_EFFECTIVE, cap);
		capng_update(CAPNG_DROP, CAPNG_INHERITABLE, cap); /* with it goes the ambient one */
	}
	return capng_apply(sets) ? -EPERM : 0;
}

static int filter_calls(void)
{
	static const int denied[] = { SCMP_SYS(ptrace), SCMP_SYS(process_vm_writev),
				      SCMP_SYS(pidfd_getfd) };
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int err = filter ? 0 : -ENOMEM;

	for (unsigned int i = 0; !err && i < sizeof(denied) / sizeof(denied[0]); i++)
		err = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), denied[i], 0);
	if (!err)
		err = seccomp_load(filter);
	seccomp_release(filter);
	return err;
}

int privileges_drop(void)
{
	int err = drop_capabilities();

	if (!err && prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		err = -errno;
	return err ? err : filter_calls();
}
