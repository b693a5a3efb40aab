/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A uprobe is an event of a PMU whose number only sysfs has. Its file is named to the kernel as
 * the opener's own descriptor: no path of anybody's is followed.
 * Source: Linux kernel/events/core.c, Documentation/ABI/testing/sysfs-bus-event_source-devices-format.
 */
#include "collect/perf_request.h"

#include "base/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#define PMU_TYPE "/sys/bus/event_source/devices/uprobe/type"
#define CONFIG_IS_RETURN 1ull	/* format/retprobe: config:0 */
#define CONFIG_REF_CTR_SHIFT 32 /* format/ref_ctr_offset: config:32-63 */

/* -ENOTSUP: this kernel has no such events. */
static int pmu_type(void)
{
	char text[16] = "";
	OWNS_FD int fd = open(PMU_TYPE, O_RDONLY | O_CLOEXEC);
	int type;

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		return -ENOTSUP;
	return sscanf(text, "%d", &type) == 1 && type > 0 ? type : -ENOTSUP;
}

int perf_uprobe_open(const struct perf_uprobe_request *r, int file)
{
	char path[32];
	struct stat st;
	int type = pmu_type(), fd;

	if (r->pid <= 0 || r->is_return > 1 || r->offset > INT64_MAX || file < 0)
		return -EINVAL;
	if (fstat(file, &st))
		return -errno;
	if (!S_ISREG(st.st_mode) || r->offset >= (uint64_t)st.st_size)
		return -EINVAL;
	if (type < 0)
		return type;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);

	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = (uint64_t)r->ref_ctr_offset << CONFIG_REF_CTR_SHIFT |
			  (r->is_return ? CONFIG_IS_RETURN : 0),
		.uprobe_path = (uintptr_t)path,
		.probe_offset = r->offset,
		.disabled = 1,
	};

	fd = syscall(SYS_perf_event_open, &attr, r->pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
