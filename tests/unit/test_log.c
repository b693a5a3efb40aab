/* SPDX-License-Identifier: Apache-2.0 */
/* Lines on a stderr that is a file, entries where it is the journal. */
#include "base/log.h"

#include "base/buffer.h"

#define SD_JOURNAL_SUPPRESS_LOCATION

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <systemd/sd-journal.h>

static struct buffer entry; /* what the journal got last: its fields, each with a ";" behind it */
static unsigned int entries;
static int journal_says;

/* In place of the library's, which would send it to this machine's journal. */
int sd_journal_sendv(const struct iovec *iov, int count)
{
	entries++;
	entry.len = 0;
	for (int i = 0; i < count; i++) {
		buffer_add(&entry, iov[i].iov_base, iov[i].iov_len);
		buffer_add_text(&entry, ";");
	}
	return journal_says;
}

static int stderr_file;

static void take_stderr(void)
{
	stderr_file = memfd_create("stderr", 0);
	cr_assert(stderr_file >= 0 && dup2(stderr_file, STDERR_FILENO) == STDERR_FILENO);
	unsetenv("JOURNAL_STREAM");
}

static void forget(void)
{
	buffer_fini(&entry);
	close(stderr_file);
}

TestSuite(log, .init = take_stderr, .fini = forget);

/* Says that the journal is the file of stderr, or of the inode beside it. */
static void say_journal(unsigned int beside)
{
	char stream[64];
	struct stat st;

	cr_assert(fstat(STDERR_FILENO, &st) == 0);
	snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino + beside);
	setenv("JOURNAL_STREAM", stream, 1);
}

static void expect_lines(const char *expected)
{
	char text[2048] = "";

	cr_assert(pread(stderr_file, text, sizeof(text) - 1, 0) >= 0);
	cr_expect(eq(str, text, (char *)expected));
}

Test(log, a_message_is_a_line)
{
	log_open("prog", LVL_INFO);
	log_info("ready on %s", "/s");
	log_write(LVL_ERROR, -ENOENT, "cannot open %s", "f");
	log_debug("not written");
	expect_lines("prog: ready on /s\nprog: cannot open f: No such file or directory\n");
	cr_expect(eq(uint, entries, 0));
}

Test(log, a_line_stays_one_and_acts_on_no_terminal)
{
	log_open("prog", LVL_INFO);
	log_info("process 5 (a\nb\x1b[2J\xe2\x80\xae\xff)");
	expect_lines("prog: process 5 (a\\x0ab\\x1b[2J\\u202e\xef\xbf\xbd)\n");
}

Test(log, where_stderr_is_the_journal_it_gets_fields)
{
	static const char *const fields[] = { "SPPROF_PID=5", "SPPROF_COMM=a\nPRIORITY=0", NULL };

	say_journal(0);
	log_open("prog", LVL_INFO);
	log_event(LVL_INFO, fields, "process 5 (%s)", "a\nPRIORITY=0");
	cr_expect(eq(str, entry.data,
		     "MESSAGE=process 5 (a\\x0aPRIORITY=0);PRIORITY=6;SYSLOG_IDENTIFIER=prog;"
		     "SPPROF_PID=5;SPPROF_COMM=a\nPRIORITY=0;"));
	log_write(LVL_WARNING, -EPERM, "no");
	cr_expect(eq(str, entry.data,
		     "MESSAGE=no: Operation not permitted;PRIORITY=4;SYSLOG_IDENTIFIER=prog;"
		     "ERRNO=1;"));
	log_event(LVL_DEBUG, fields, "not written");
	cr_expect(eq(uint, entries, 2));
	expect_lines("");
}

Test(log, fields_are_left_out_of_a_line)
{
	static const char *const fields[] = { "SPPROF_PID=5", NULL };

	log_open("prog", LVL_INFO);
	log_event(LVL_INFO, fields, "process 5");
	expect_lines("prog: process 5\n");
}

Test(log, a_stderr_that_went_elsewhere_is_no_journal)
{
	say_journal(1);
	log_open("prog", LVL_INFO);
	log_info("here");
	setenv("JOURNAL_STREAM", "nonsense", 1);
	log_open("prog", LVL_INFO);
	log_info("here too");
	expect_lines("prog: here\nprog: here too\n");
	cr_expect(eq(uint, entries, 0));
}

Test(log, what_the_journal_does_not_take_is_a_line)
{
	say_journal(0);
	journal_says = -ENOBUFS;
	log_open("prog", LVL_INFO);
	log_info("here");
	expect_lines("prog: here\n");
	cr_expect(eq(uint, entries, 1));
}

Test(log, fields_beyond_the_sixteenth_are_cut_off)
{
	const char *fields[20];

	for (unsigned int i = 0; i < 19; i++)
		fields[i] = "A=1";
	fields[19] = NULL;
	say_journal(0);
	log_open("prog", LVL_INFO);
	log_event(LVL_INFO, fields, "m");
	cr_expect(eq(sz, entry.len,
		     strlen("MESSAGE=m;PRIORITY=6;SYSLOG_IDENTIFIER=prog;") + 16 * strlen("A=1;")));
}
