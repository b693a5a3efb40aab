/* SPDX-License-Identifier: Apache-2.0 */
/* top for a terminal: the only user of curses. The terminal is as before at every end. */
#include "cli/top_view.h"

#include "base/clock.h"
#include "cli/fail.h"
#include "cli/fit.h"
#include "cli/top_text.h"

#include <curses.h>
#include <errno.h>
#include <locale.h>
#include <poll.h>
#include <string.h>
#include <wchar.h>

#define HEAD_LINES 4 /* title, facts, an empty one, names of columns */
#define COLUMNS_MOST 1024
#define NS_PER_MS 1000000

enum ending { GOES_ON, QUIT, FAILED, TARGET_ENDED };

struct screen {
	struct top_view *view;
	SCREEN *terminal;
	bool shows_help;
	uint64_t next_ns; /* when to look again */
};

static bool screen_open(struct screen *s)
{
	setlocale(LC_CTYPE, "");
	s->terminal = newterm(NULL, stdout, stdin);
	if (!s->terminal)
		return false;
	cbreak();
	noecho();
	keypad(stdscr, TRUE);
	nodelay(stdscr, TRUE);
	curs_set(0);
	return true;
}

static void screen_close(struct screen *s)
{
	if (!s->terminal)
		return;
	endwin();
	delscreen(s->terminal);
	s->terminal = NULL;
}

/* @text from column @x of line @y on. */
static void draw_text(int y, int x, const char *text)
{
	wchar_t line[COLUMNS_MOST];
	int columns = COLS < COLUMNS_MOST ? COLS : COLUMNS_MOST - 1;

	if (y >= LINES || x >= columns)
		return;
	fit_middle(text ? text : "", columns - x, line, COLUMNS_MOST);
	mvaddwstr(y, x, line);
}

/* All of line @y in @attributes. */
static void draw_line(int y, const char *text, attr_t attributes)
{
	draw_text(y, 0, text);
	if (y < LINES)
		mvchgat(y, 0, -1, attributes, 0, NULL);
}

static void draw_row(int y, const struct top_view *v, uint32_t row)
{
	OWNS(buffer) struct buffer numbers = { 0 };
	OWNS(buffer) struct buffer name = { 0 };

	top_text_add_numbers(&numbers, &v->table, row);
	top_text_add_name(&name, v->profile, &v->table.rows[row]);
	draw_text(y, 0, numbers.data);
	draw_text(y, TOP_NAME_COLUMN, name.data);
}

/* The names of the columns, with that underlined which sorts. */
static void draw_head(const struct top_view *v)
{
	int y = HEAD_LINES - 1;

	draw_line(y, top_text_head(), A_REVERSE);
	if (y < LINES && COLS > TOP_COLUMN_WIDTH * TOP_ORDERS)
		mvchgat(y, v->order * TOP_COLUMN_WIDTH, TOP_COLUMN_WIDTH,
			A_REVERSE | A_UNDERLINE | A_BOLD, 0, NULL);
}

static void draw_table(const struct top_view *v)
{
	OWNS(buffer) struct buffer title = { 0 };
	OWNS(buffer) struct buffer facts = { 0 };

	top_text_add_title(&title, v->what.data, v->profile);
	buffer_add_text(&title, v->rows == TOP_LINES ? ", by line" : ", by function");
	top_text_add_facts(&facts, v->profile, &v->table);
	draw_line(0, title.data, A_BOLD);
	draw_line(1, facts.data, A_NORMAL);
	draw_head(v);
	for (uint32_t i = 0; i < v->table.count && HEAD_LINES + (int)i < LINES - 1; i++)
		draw_row(HEAD_LINES + i, v, i);
	draw_line(LINES - 1, "? help   q quit", A_DIM);
}

static void draw_help(void)
{
	static const char *const lines[] = {
		"1  sort by %Own: the function itself runs",
		"2  sort by %Total: it, or what it calls, runs",
		"3  sort by OwnTime",
		"4  sort by TotalTime",
		"l  functions or lines",
		"r  reset: leave out what was before",
		"?  this help; any key closes it",
		"q  quit",
	};

	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		draw_line(1 + i, lines[i], A_NORMAL);
}

static void draw(const struct screen *s)
{
	erase();
	if (s->shows_help)
		draw_help();
	else if (s->view->profile)
		draw_table(s->view);
	refresh();
}

static enum ending sort_again(struct top_view *v)
{
	v->err = top_view_sort(v);
	return v->err ? FAILED : GOES_ON;
}

static enum ending press(struct screen *s, int key)
{
	struct top_view *v = s->view;

	if (key == 'q' || key == 'Q')
		return QUIT;
	if (s->shows_help && key != KEY_RESIZE) {
		s->shows_help = false;
		return GOES_ON;
	}
	switch (key) {
	case '1' ... '4':
		v->order = key - '1';
		return sort_again(v);
	case 'l':
	case 'L':
		v->rows = v->rows == TOP_LINES ? TOP_FUNCTIONS : TOP_LINES;
		return sort_again(v);
	case 'r':
	case 'R':
		v->since_ns = monotonic_ns();
		s->next_ns = v->since_ns;
		return GOES_ON;
	case '?':
	case 'h':
		s->shows_help = true;
		return GOES_ON;
	default:
		return GOES_ON;
	}
}

static enum ending press_all(struct screen *s)
{
	enum ending end = GOES_ON;
	int key;

	while (end == GOES_ON && (key = getch()) != ERR)
		end = press(s, key);
	return end;
}

/* Until it is time to look, a key, a signal, or a new size. */
static enum ending wait_for_something(struct screen *s)
{
	uint64_t now = monotonic_ns();
	struct pollfd ready[] = {
		{ .fd = s->view->signals, .events = POLLIN },
		{ .fd = STDIN_FILENO, .events = POLLIN },
	};

	if (now < s->next_ns)
		poll(ready, 2, (s->next_ns - now) / NS_PER_MS + 1);
	if (ready[0].revents || ready[1].revents & (POLLERR | POLLHUP | POLLNVAL))
		return QUIT;
	return press_all(s);
}

static enum ending look(struct screen *s)
{
	struct top_view *v = s->view;

	if (monotonic_ns() < s->next_ns)
		return GOES_ON;
	s->next_ns = monotonic_ns() + v->options->delay * 1e9;
	if (top_view_look(v))
		return v->err == -ECANCELED ? QUIT : FAILED;
	return top_view_has_ended(v) ? TARGET_ENDED : GOES_ON;
}

static enum ending run(struct screen *s)
{
	enum ending end = GOES_ON;

	while (end == GOES_ON) {
		end = look(s);
		draw(s);
		if (end == GOES_ON)
			end = wait_for_something(s);
	}
	return end;
}

int top_screen(struct top_view *v)
{
	struct screen s = { .view = v, .next_ns = monotonic_ns() };
	enum ending end;

	if (top_view_look(v))
		return v->err == -ECANCELED ? 0 : top_view_fail(v);
	if (!screen_open(&s))
		return fail(SPPROF_EXIT_FAILED,
			    "cannot draw on this terminal (TERM is %s); --count "
			    "prints plain text",
			    getenv("TERM") ? getenv("TERM") : "not set");
	end = run(&s);
	screen_close(&s);
	if (end == FAILED)
		return top_view_fail(v);
	if (end == TARGET_ENDED)
		fprintf(stderr, "%s has ended\n", v->what.data);
	return 0;
}
