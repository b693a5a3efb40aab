/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A name is read once, from its front. Brackets at the start of a component are part of it,
 * as in "(anonymous namespace)", "<T as Trait>", "<lambda>" and "(*T)"; square and curly ones
 * always are. Angle ones elsewhere are template arguments. Round ones elsewhere are the
 * parameter list; only a name that has one can have a return type, which ends at a blank.
 * From a bracket on that nothing closes, a name is taken as it is.
 */
#include "calltree/simple_name.h"
#include "calltree/operator_name.h"

#include <string.h>

struct scan {
	const char *name;
	size_t len, at;
	struct buffer *out;
	size_t start;	    /* of the simple name in out */
	size_t word;	    /* behind the last blank there */
	bool is_type;	    /* an operator's TYPE or _SUFFIX is being read, after a blank */
	bool is_inside;	    /* of "(*name(…))(…)", which returns a pointer to a function */
	bool has_arguments; /* the parameter list has been read */
};

static bool is_at(const struct scan *s, size_t at, const char *text)
{
	return s->len - at >= strlen(text) && !memcmp(s->name + at, text, strlen(text));
}

static bool ends_with(const struct scan *s, const char *text)
{
	size_t len = strlen(text);

	return s->out->len - s->start >= len &&
	       !memcmp(s->out->data + s->out->len - len, text, len);
}

/* Whether a component begins here. */
static bool is_start(const struct scan *s)
{
	return s->at == 0 || memchr(" :.", s->name[s->at - 1], 3);
}

static void copy_to(struct scan *s, size_t end)
{
	buffer_add(s->out, s->name + s->at, end - s->at);
	s->at = end;
}

/* Behind the bracket that closes the one here, or 0. Round ones within angle ones hide all. */
static size_t close_of(const struct scan *s)
{
	static const char pairs[] = "()<>[]{}";
	char open = s->name[s->at], close = strchr(pairs, open)[1];
	size_t depth = 0, hidden = 0;

	for (size_t at = s->at; at < s->len; at++) {
		char c = s->name[at];

		if (open == '<' && is_at(s, at, "->"))
			at++;
		else if (open == '<' && c == '(')
			hidden++;
		else if (open == '<' && c == ')' && hidden)
			hidden--;
		else if (c == open && !hidden)
			depth++;
		else if (c == close && !hidden && --depth == 0)
			return at + 1;
	}
	return 0;
}

static void skip_qualifiers(struct scan *s)
{
	static const char *const words[] = { " const", " volatile", " noexcept", " &", "&" };
	size_t before;

	do {
		before = s->at;
		for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
			if (is_at(s, s->at, words[i]))
				s->at += strlen(words[i]);
	} while (s->at != before);
}

/* What comes before the name is its return type, after it: qualifiers, a scope, a clone. */
static void leave_arguments(struct scan *s, size_t end)
{
	struct buffer *out = s->out;

	if (!s->has_arguments && s->word > s->start) {
		memmove(out->data + s->start, out->data + s->word, out->len - s->word + 1);
		out->len -= s->word - s->start;
	}
	s->has_arguments = true;
	s->is_type = false;
	s->at = end;
	skip_qualifiers(s);
	if (is_at(s, s->at, "::"))
		return;
	if (is_at(s, s->at, " [") || is_at(s, s->at, "[") || is_at(s, s->at, "@") ||
	    is_at(s, s->at, "."))
		copy_to(s, s->len);
	s->at = s->len;
}

static void read_round(struct scan *s, size_t end)
{
	bool is_pointer = is_at(s, s->at, "(*") && is_at(s, end, "(");

	if (is_start(s) && is_pointer && !s->is_inside && !s->is_type) {
		s->is_inside = true;
		s->at += 2;
		s->word = s->out->len;
	} else if (is_start(s)) {
		copy_to(s, end);
	} else if (ends_with(s, "decltype")) {
		s->at = end;
	} else {
		leave_arguments(s, end);
	}
}

/* Rust's arguments come after "::", where other things in angle brackets may be, too. */
static bool is_rust_arguments(const struct scan *s, size_t end)
{
	return ends_with(s, "::") && (end == s->len || is_at(s, end, "::")) &&
	       !is_at(s, s->at, "<impl ") && !is_at(s, s->at, "<lambda") &&
	       !is_at(s, s->at, "<unnamed>");
}

static void read_angle(struct scan *s, size_t end)
{
	if (is_rust_arguments(s, end)) {
		s->out->len -= 2;
		s->out->data[s->out->len] = '\0';
		s->at = end;
	} else if (is_start(s)) {
		copy_to(s, end);
	} else {
		s->at = end;
	}
}

static void read_bracket(struct scan *s)
{
	size_t end = close_of(s);

	if (!end && s->name[s->at] == '(' && !is_start(s))
		leave_arguments(s, s->len); /* perf cuts long names */
	else if (!end)
		copy_to(s, s->len);
	else if (s->name[s->at] == '(')
		read_round(s, end);
	else if (s->name[s->at] == '<')
		read_angle(s, end);
	else
		copy_to(s, end);
}

static void read_operator(struct scan *s, size_t len)
{
	copy_to(s, s->at + len);
	s->is_type = ends_with(s, "operator") || ends_with(s, "operator\"\"");
	if (is_at(s, s->at, " <")) /* arguments of "operator<" */
		s->at++;
	if (is_at(s, s->at, "<") && close_of(s))
		s->at = close_of(s);
}

/* Where something may begin that is not just copied. */
static size_t plain_end(const struct scan *s)
{
	size_t at = s->at + 1;

	while (at < s->len && !memchr("(<[{o ", s->name[at], 6))
		at++;
	return at;
}

static void read_name(struct scan *s)
{
	while (s->at < s->len && !buffer_error(s->out)) {
		char c = s->name[s->at];
		size_t operator_len = c == 'o' ? operator_name_len(s->name, s->len, s->at) : 0;

		if (operator_len)
			read_operator(s, operator_len);
		else if (memchr("(<[{", c, 4))
			read_bracket(s);
		else
			copy_to(s, c == ' ' ? s->at + 1 : plain_end(s));
		if (c == ' ' && !s->is_type)
			s->word = s->out->len;
	}
}

/* NAME of "py::NAME:FILE"; NULL: it is something else, perhaps of C++'s namespace py. */
static const char *python_name(const char *name, size_t len, size_t *name_len)
{
	static const char prefix[] = "py::";
	const char *begin = name + strlen(prefix), *colon;

	if (len <= strlen(prefix) || memcmp(name, prefix, strlen(prefix)))
		return NULL;
	colon = memchr(begin, ':', name + len - begin);
	if (!colon || colon == begin || colon + 1 == name + len || colon[1] == ':')
		return NULL;
	*name_len = colon - begin;
	return begin;
}

void simple_name_add(const char *name, size_t len, struct buffer *out)
{
	size_t python_len = 0;
	const char *python = python_name(name, len, &python_len);
	struct scan s = { .name = name, .len = len, .out = out };

	if (python) {
		buffer_add(out, python, python_len);
		return;
	}
	s.start = s.word = out->len;
	read_name(&s);
	if (out->len == s.start)
		buffer_add(out, name, len);
}
