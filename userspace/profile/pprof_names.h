/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What spprof puts into the free texts of a pprof: export/pprof.c writes them,
 * import/pprof.c reads them back.
 *
 * Labels of a sample: pid, tid, thread_ident and timestamp_ns are numbers, thread and
 * process texts. One that is 0 or empty is left out. Numbers are unsigned 64-bit, stored
 * in the format's int64 with the same bits.
 *
 * Comments: a line each, `spprof: KEY=VALUE`. The value goes to the end, whatever it
 * holds; numbers are decimal. `lost.NAME` counts what was lost for that reason; NAME
 * goes up to the last `=`. With `decimals=N` weights count 10^-N of their unit. A reader
 * skips keys that it does not know.
 */
#ifndef SPPROF_PPROF_NAMES_H
#define SPPROF_PPROF_NAMES_H

/* How the names of types of memory end: inuse_space in bytes beside inuse_objects. */
#define PPROF_SPACE "_space"
#define PPROF_OBJECTS "_objects"

#define PPROF_LABEL_PID "pid"
#define PPROF_LABEL_TID "tid"
#define PPROF_LABEL_THREAD "thread"
#define PPROF_LABEL_PROCESS "process"
#define PPROF_LABEL_IDENT "thread_ident"
#define PPROF_LABEL_TIME "timestamp_ns"

#define PPROF_COMMENT "spprof: "
#define PPROF_COMMENT_VERSION PPROF_COMMENT "version="
#define PPROF_COMMENT_TAKEN PPROF_COMMENT "taken="
#define PPROF_COMMENT_LOST PPROF_COMMENT "lost="
#define PPROF_COMMENT_LOSS PPROF_COMMENT "lost."
#define PPROF_COMMENT_PYTHON PPROF_COMMENT "python="
#define PPROF_COMMENT_PLATFORM PPROF_COMMENT "platform="
#define PPROF_COMMENT_RATES PPROF_COMMENT "rates_hz="
#define PPROF_COMMENT_DECIMALS PPROF_COMMENT "decimals="
#define PPROF_COMMENT_ORDER PPROF_COMMENT "order=kept"

/*
 * A function's kind is the mapping of its locations: the mapping's file name. Native code
 * whose file is known has that file; any name but these is native in a file of ours.
 */
#define PPROF_MAPPING_PYTHON "[python]"
#define PPROF_MAPPING_NATIVE "[native]"
#define PPROF_MAPPING_KERNEL "[kernel.kallsyms]"
#define PPROF_MAPPING_UNKNOWN "[unknown]"

#endif
