/* SPDX-License-Identifier: Apache-2.0 */
/* Inside of the windows: windows.c keeps them, windows_profile.c answers from them. */
#ifndef SPPROF_WINDOWS_PARTS_H
#define SPPROF_WINDOWS_PARTS_H

#include "daemon/slice.h"
#include "daemon/windows.h"

struct windows {
	const struct rates *rates;
	struct windows_limits limits;
	bool is_running;
	uint64_t since_ns;     /* CLOCK_MONOTONIC; everything later is here */
	struct slice **slices; /* oldest first; a second without samples and losses has none */
	uint32_t count, room;
	struct holdings holdings;
	uint64_t dropped, refused;
	uint64_t lost_before[SP_LOST_MAX]; /* as of the last turn */
	bool has_lost_before;
};

#endif
