/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"
#include "profiles.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>
#include <zlib.h>

#define NEITHER "neither collapsed stacks, nor speedscope, pprof or perf's report, script or data"

static struct import_row rows[] = {
	{ "nothing", "", "the file is empty", -EBADMSG },
	{ "a byte order mark alone", "\xef\xbb\xbf", "the file is empty", -EBADMSG },
	{ "prose", "hello world\n", NEITHER, -EBADMSG },
	{ "blank lines", "\n\n", NEITHER, -EBADMSG },
	{ "a byte order mark",
	  "\xef\xbb\xbf"
	  "a 1\n",
	  "collapsed of samples\n a{native} 1\n", 0 },
	{ "blanks before JSON", " \n{\"a\":", "byte 7: a value expected, but the file ends",
	  -EBADMSG },
	{ "a brace is no JSON", "{x} 1\n", "collapsed of samples\n {x}{native} 1\n", 0 },
	{ "text like a field of bytes", "\nm;f 5\n\x1b 1\n",
	  "collapsed of samples\n m{native} f{native} 5\n \x1b{native} 1\n", 0 },
	{ "damaged gzip", "\x1f\x8b\x08", "gzip: it is damaged or cut", -EBADMSG },
};
Test(import, kind)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		imported_expect(&rows[i]);
}

Test(import, a_pprof_cut_within_its_bytes_is_none)
{
	static const char cut[] = "\x32\x00\x32\x05"
				  "ab";
	struct buffer out OWNS(buffer) = { 0 };

	imported_describe(cut, sizeof(cut) - 1, -EBADMSG, &out);
	cr_expect(eq(str, out.data, "pprof: cut or damaged at byte 2"));
}

Test(import, text_may_be_compressed)
{
	unsigned char packed[256];
	struct buffer out OWNS(buffer) = { 0 };
	z_stream z = { .next_in = (unsigned char *)"a 1\n",
		       .avail_in = 4,
		       .next_out = packed,
		       .avail_out = sizeof(packed) };

	cr_assert(deflateInit2(&z, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) == Z_OK);
	cr_assert(deflate(&z, Z_FINISH) == Z_STREAM_END);
	imported_describe((char *)packed, z.total_out, 0, &out);
	deflateEnd(&z);
	cr_expect(eq(str, out.data, "collapsed of samples\n a{native} 1\n"));
}

Test(import, our_own_pprof_has_kinds)
{
	OWNS(profile) struct profile *p = test_small_profile();
	struct buffer file OWNS(buffer) = { 0 }, out OWNS(buffer) = { 0 };

	test_export("pprof", p, NULL, 0, &file);
	imported_describe(file.data, file.len, 0, &out);
	cr_expect(eq(str, out.data,
		     "pprof of nanoseconds\n"
		     "MainThread 1234/1234| <module>{python /srv/app.py 1} Work.run{python "
		     "/srv/app.py 10} 20202020\n"
		     "MainThread 1234/1234| <module>{python /srv/app.py 1} Work.run{python "
		     "/srv/app.py 10} 10101010\n"
		     "worker one 1234/1240| <module>{python /srv/app.py 1} Work.run{python "
		     "/srv/app.py 10} [native]{native} 30303030\n"
		     "worker one 1234/1240| <module>{python /srv/app.py 1} 10101010\n"));
}
