/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

static struct import_row rows[] = {
	{ "the last number is the weight", "a;b;c 12\nb 1 2\n",
	  "collapsed of samples\n a{native} b{native} c{native} 12\n b 1{native} 2\n", 0 },
	{ "a line may come again", "a;b 1\na 2\na;b 3\n",
	  "collapsed of samples\n a{native} b{native} 4\n a{native} 2\n", 0 },
	{ "Python, kernel, native", "f (/a b.py:12);g (h);schedule_[k];x 1\n",
	  "collapsed of samples\n f{python /a b.py 12} g (h){native} schedule{kernel} x{native} "
	  "1\n",
	  0 },
	{ "a file in parentheses", "f (x) (/opt (v2)/a.py:3);f (/a(b/c.py:4) 1",
	  "collapsed of samples\n f (x){python /opt (v2)/a.py 3} f{python /a(b/c.py 4} 1\n", 0 },
	{ "what only looks like Python", "(a:1);f (a:b);f (:1);f(a:1);_[k] 1\n",
	  "collapsed of samples\n (a:1){native} f (a:b){native} f (:1){native} f(a:1){native} "
	  "_[k]{native} 1\n",
	  0 },
	{ "escapes", "a\\x3bb;\\x5cx41;\\x85;\\u2028;\\;\\\\;C:\\x;\\xg1;d\\x5D_[k] 1\n",
	  "collapsed of samples\n a;b{native} \\x41{native} \xc2\x85{native} \u2028{native} "
	  "\\{native} \\\\{native} C:\\x{native} \\xg1{native} d]{kernel} 1\n",
	  0 },
	{ "an escape is no syntax", "f \\x28a:1);a_\\x5bk];f (a\\x3ab:2) 1\n",
	  "collapsed of samples\n f (a:1){native} a_[k]{native} f{python a:b 2} 1\n", 0 },
	{ "invalid UTF-8", "a\xff;b 1\n", "collapsed of samples\n a\ufffd{native} b{native} 1\n",
	  0 },
	{ "control characters", "a\x1b[31m;b\x01 1\n",
	  "collapsed of samples\n a\x1b[31m{native} b\x01{native} 1\n", 0 },
	{ "every element is a frame", ";a;; 1\n 2\n",
	  "collapsed of samples\n {native} a{native} {native} {native} 1\n 2\n", 0 },
	{ "what is shared is shared by elements", "ab;c 1\nab;cd 1\nab;c;d 1\na 1\nab 1\n",
	  "collapsed of samples\n ab{native} c{native} 1\n ab{native} cd{native} 1\n"
	  " ab{native} c{native} d{native} 1\n a{native} 1\n ab{native} 1\n",
	  0 },
	{ "comments and blank lines", "# mode: wall 12\n\n#\na 1\r\n  \n#b 2\n",
	  "collapsed of samples\n a{native} 1\n #b{native} 2\n", 0 },
	{ "decimals", "a 0.5\nb 12\nc 1.250\nd -3\n",
	  "collapsed of samples\n a{native} 0.5\n b{native} 12\n c{native} 1.25\n d{native} -3\n",
	  0 },
	{ "more decimals than nine", "a 0.12345678949\n",
	  "collapsed of samples, weights are rounded to 9 decimals\n a{native} 0.123456789\n", 0 },
	{ "as many decimals as there is room for", "a 1000000000000.12345678\n",
	  "collapsed of samples, weights are rounded to 6 decimals\n"
	  " a{native} 1000000000000.123457\n",
	  0 },
	{ "the largest weight", "a 8999999999999999999\n",
	  "collapsed of samples\n a{native} 8999999999999999999\n", 0 },
	{ "a digit that is one too many", "a 1234567890123.1234565\n",
	  "collapsed of samples, weights are rounded to 6 decimals\n"
	  " a{native} 1234567890123.123457\n",
	  0 },
	{ "too large", "a 9e18\nb 9e18\n", "the weights are more than 2^63 in sum", -E2BIG },
	{ "far too large", "a 1e999\n", "the weights are more than 2^63 in sum", -E2BIG },
	{ "no number", "a;b 1\na;b\n", "line 2: no number at its end", -EBADMSG },
	{ "cut", "a;b 1\na;", "line 2: no number at its end", -EBADMSG },
	{ "a number alone", "a 1\n12\n", "line 2: no number at its end", -EBADMSG },
	{ "no number like ours", "a 1\na 1,5\n", "line 2: no number at its end", -EBADMSG },
};
Test(import_collapsed, text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		imported_expect(&rows[i]);
}

/* Twenty thousand frames deep, and again but for the last. */
Test(import_collapsed, a_deep_stack_is_whole)
{
	OWNS(profile) struct profile *p = profile_new();
	struct buffer text OWNS(buffer) = { 0 }, why OWNS(buffer) = { 0 };
	OWNS(import_facts) struct import_facts facts = { 0 };
	uint32_t count;

	for (int line = 0; line < 2; line++) {
		for (int i = 0; i < 20000; i++)
			buffer_print(&text, "f%d;", i);
		buffer_print(&text, "leaf%d 1\n", line);
	}
	cr_assert(import_profile(text.data, text.len, NULL, p, &facts, &why) == 0);
	profile_stacks(p, &count);
	cr_expect(eq(u32, count, 20002));
}

Test(import_collapsed, a_name_has_a_bound)
{
	struct buffer text OWNS(buffer) = { 0 }, out OWNS(buffer) = { 0 };

	buffer_add_text(&text, "a 1\n");
	for (size_t i = 0; i < 1 << 20; i++)
		buffer_add_text(&text, "x");
	buffer_add_text(&text, " 1\n");
	imported_describe(text.data, text.len, 0, &out);
	text.data[text.len - 3] = 'x';
	buffer_add_text(&text, " 1\n");
	out.len = 0;
	imported_describe(text.data, text.len, -EBADMSG, &out);
	text.len -= 4;
	buffer_add_text(&text, " 1\n");
	out.len = 0;
	imported_describe(text.data, text.len, -E2BIG, &out);
	cr_expect(eq(str, out.data, "line 2: more than can be held"));
}
