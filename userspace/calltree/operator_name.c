/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/operator_name.h"

#include <string.h>

#define WORD "operator"

static bool is_of_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '_' || c == '$' || (unsigned char)c >= 0x80;
}

static bool begins_with(const char *text, size_t len, const char *with)
{
	return len >= strlen(with) && !memcmp(text, with, strlen(with));
}

size_t operator_name_len(const char *name, size_t len, size_t at)
{
	/* What begins another comes after it. */
	static const char *const signs[] = {
		"<=>", "<<=", ">>=", "->*", "<<",     ">>",   "<=",	   ">=",      "->",
		"==",  "!=",  "&&",  "||",  "++",     "--",   "+=",	   "-=",      "*=",
		"/=",  "%=",  "^=",  "&=",  "|=",     "()",   "[]",	   "\"\"",    "+",
		"-",   "*",   "/",   "%",   "^",      "&",    "|",	   "~",	      "!",
		"=",   "<",   ">",   ",",   " new[]", " new", " delete[]", " delete",
	};
	size_t word = strlen(WORD);

	if (!begins_with(name + at, len - at, WORD) || (at && is_of_word(name[at - 1])))
		return 0;
	if (len - at > word && is_of_word(name[at + word]))
		return 0;
	for (size_t i = 0; i < sizeof(signs) / sizeof(*signs); i++)
		if (begins_with(name + at + word, len - at - word, signs[i]))
			return word + strlen(signs[i]);
	return word;
}
