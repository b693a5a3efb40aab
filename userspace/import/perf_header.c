/* SPDX-License-Identifier: Apache-2.0 */
#include "import/perf_line.h"

#include <string.h>

#define LONGEST_COMM 15 /* TASK_COMM_LEN without its NUL (linux/sched.h) */

static const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && perf_is_blank(*at))
		at++;
	return at;
}

/* The last word before @end; empty if there is none. */
static struct perf_text last_word(const char *start, const char *end)
{
	const char *at;

	while (end > start && perf_is_blank(end[-1]))
		end--;
	for (at = end; at > start && !perf_is_blank(at[-1]); at--)
		;
	return (struct perf_text){ at, end - at };
}

static bool is_number(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!perf_is_digit(text[i]))
			return false;
	return len > 0;
}

/* `-1`: a thread that perf does not know. */
static bool is_id(const char *text, size_t len)
{
	return len && *text == '-' ? is_number(text + 1, len - 1) : is_number(text, len);
}

static bool is_cpu(const struct perf_text *word)
{
	return word->len > 2 && word->text[0] == '[' && word->text[word->len - 1] == ']' &&
	       is_number(word->text + 1, word->len - 2);
}

/* `tid` or `pid/tid` */
static bool read_ids(const struct perf_text *word, struct perf_header *h)
{
	const char *slash = memchr(word->text, '/', word->len);
	size_t pid_len = slash ? slash - word->text : 0;

	h->pid = (struct perf_text){ word->text, pid_len };
	h->tid = *word;
	if (slash)
		h->tid = (struct perf_text){ slash + 1, word->len - pid_len - 1 };
	return (!slash || is_id(h->pid.text, h->pid.len)) && is_id(h->tid.text, h->tid.len);
}

/* `comm pid/tid [cpu]`, which is all of it. */
static bool read_front(const char *text, const char *end, struct perf_header *h)
{
	struct perf_text word = last_word(text, end);

	if (is_cpu(&word))
		word = last_word(text, word.text);
	if (!read_ids(&word, h))
		return false;
	text = skip_blanks(text, word.text);
	end = word.text;
	while (end > text && perf_is_blank(end[-1]))
		end--;
	h->comm = (struct perf_text){ text, end - text };
	return true;
}

/* `period event: rest`, each of which may be missing. */
static void read_back(const char *text, const char *end, struct perf_header *h)
{
	const char *at = skip_blanks(text, end), *stop = at, *colon;

	while (stop < end && perf_is_digit(*stop))
		stop++;
	h->period = (struct perf_text){ at, 0 };
	if (stop > at && (stop == end || perf_is_blank(*stop))) {
		h->period.len = stop - at;
		at = skip_blanks(stop, end);
	}
	for (colon = at; colon < end && !perf_is_blank(*colon); colon++)
		;
	h->event = (struct perf_text){ at, 0 };
	if (colon > at + 1 && colon[-1] == ':') {
		h->event.len = colon - at - 1;
		at = skip_blanks(colon, end);
	}
	while (end > at && perf_is_blank(end[-1]))
		end--;
	h->rest = (struct perf_text){ at, end - at };
}

/* The `1886.184776` that ends before the colon @colon; its length, 0: it is none. */
static size_t time_len(const char *start, const char *colon)
{
	const char *at = colon, *point;

	while (at > start && perf_is_digit(at[-1]))
		at--;
	point = at - 1;
	if (at == colon || at == start || *point != '.')
		return 0;
	for (at = point; at > start && perf_is_digit(at[-1]); at--)
		;
	if (at == point || at == start || !perf_is_blank(at[-1]))
		return 0;
	return colon - at;
}

/*
 * Of several times in a line, the last that leaves a command the kernel can have: what is
 * on its right may be any text of a tracepoint.
 */
static bool read_timed(const char *text, const char *end, struct perf_header *h)
{
	struct perf_header found;
	bool is_found = false;

	for (const char *colon = end; (colon = memrchr(text, ':', colon - text));) {
		size_t len = time_len(text, colon);

		if (!len || (colon + 1 < end && !perf_is_blank(colon[1])) ||
		    !read_front(text, colon - len, &found))
			continue;
		read_back(colon + 1, end, &found);
		*h = found;
		is_found = true;
		if (found.comm.len <= LONGEST_COMM)
			break;
	}
	return is_found;
}

/* Without a time: `comm tid [cpu] period event:`, and the frames on lines of their own. */
static bool read_timeless(const char *text, const char *end, struct perf_header *h)
{
	struct perf_text event = last_word(text, end), period;

	if (event.len < 2 || event.text[event.len - 1] != ':')
		return false;
	period = last_word(text, event.text);
	if (is_number(period.text, period.len) && read_front(text, period.text, h)) {
		h->period = period;
	} else {
		if (!read_front(text, event.text, h))
			return false;
		h->period = (struct perf_text){ event.text, 0 };
	}
	h->event = (struct perf_text){ event.text, event.len - 1 };
	h->rest = (struct perf_text){ end, 0 };
	return true;
}

bool perf_read_header(const char *text, const char *end, struct perf_header *h)
{
	return read_timed(text, end, h) || read_timeless(text, end, h);
}

/* Modifiers of an event, after its last colon (perf-list(1)). */
static bool is_modifier(const char *text, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!memchr("ukhIGHpPSDWebR", text[i], sizeof("ukhIGHpPSDWebR") - 1))
			return false;
	return true;
}

struct perf_text perf_event_unit(const struct perf_text *event)
{
	static const char *const clocks[] = { "cpu-clock", "task-clock" };
	struct perf_text name = *event;
	const char *colon = memrchr(name.text, ':', name.len);

	if (colon && is_modifier(colon + 1, name.text + name.len - colon - 1))
		name.len = colon - name.text;
	for (size_t i = 0; i < sizeof(clocks) / sizeof(*clocks); i++)
		if (name.len == strlen(clocks[i]) && memcmp(name.text, clocks[i], name.len) == 0)
			return (struct perf_text){ "nanoseconds", strlen("nanoseconds") };
	return name;
}
