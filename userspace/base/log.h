/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One line a message on stderr: "NAME: text". Where stderr is the journal, the message goes
 * there as an entry of fields instead. Only programs, daemon/ and cli/ log above debug.
 * A message may hold text of anybody: what would act on a terminal is made visible first.
 */
#ifndef SPPROF_LOG_H
#define SPPROF_LOG_H

/* Values are syslog's, as the journal reads them. */
enum log_level {
	LVL_ERROR = 3,
	LVL_WARNING = 4,
	LVL_INFO = 6,
	LVL_DEBUG = 7,
};

/*
 * @name begins every line and must outlive the program's last message. @most is
 * the least important level that is still written.
 */
void log_open(const char *name, enum log_level most);

/* @err: 0, or a negative errno whose text is appended after ": ". */
void log_write(enum log_level level, int err, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * The same, with what the journal shall keep beside the text: @fields are "KEY=value", any
 * bytes but NUL in the value, and end with NULL. More than 16 are cut off.
 */
void log_event(enum log_level level, const char *const *fields, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* Log "<what>: <reason>" and evaluate to @err: `return log_error(err, "cannot …");` */
#define log_error(err, ...)                                        \
	({                                                         \
		int err_ = (err); /* before stdio touches errno */ \
		log_write(LVL_ERROR, err_, __VA_ARGS__);           \
		err_;                                              \
	})
#define log_warning(...) log_write(LVL_WARNING, 0, __VA_ARGS__)
#define log_info(...) log_write(LVL_INFO, 0, __VA_ARGS__)
#define log_debug(...) log_write(LVL_DEBUG, 0, __VA_ARGS__)

#endif
