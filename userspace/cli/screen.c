/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/screen.h"

#include "cli/fit.h"

#include <locale.h>
#include <sys/ioctl.h>

#define NAME_LEAST 20 /* columns of a name, however deep it is */
#define NAME_ROOM 512

struct screen screen_of_stdout(void)
{
	const char *no_colour = getenv("NO_COLOR");
	struct winsize size;

	if (!isatty(STDOUT_FILENO) || ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_col)
		return (struct screen){ 0 };
	setlocale(LC_CTYPE, "");
	return (struct screen){ size.ws_col, !no_colour || !*no_colour };
}

static const char *colour_of(enum profile_kind kind)
{
	switch (kind) {
	case PROFILE_PYTHON:
		return "";
	case PROFILE_NATIVE:
		return "\033[34m";
	case PROFILE_KERNEL:
		return "\033[31m";
	default:
		return "\033[2m";
	}
}

static void add_cut_name(const char *name, int columns, struct buffer *out)
{
	wchar_t cut[NAME_ROOM];

	fit_middle(name, columns < NAME_ROOM / 2 ? columns : NAME_ROOM / 2, cut, NAME_ROOM);
	buffer_print(out, "%ls", cut);
}

void screen_add_name(const struct screen *screen, const char *name, enum profile_kind kind,
		     int used, struct buffer *out)
{
	const char *colour = screen->has_colours ? colour_of(kind) : "";
	int columns = screen->columns - used;

	buffer_add_text(out, colour);
	if (screen->columns)
		add_cut_name(name, columns > NAME_LEAST ? columns : NAME_LEAST, out);
	else
		buffer_add_text(out, name);
	buffer_add_text(out, *colour ? "\033[0m\n" : "\n");
}
