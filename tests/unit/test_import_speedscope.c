/* SPDX-License-Identifier: Apache-2.0 */
#include "imported.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <errno.h>
#include <string.h>

#define FRAMES \
	"\"shared\":{\"frames\":[{\"name\":\"a\"},{\"name\":\"b\",\"file\":\"b.py\",\"line\":3}]}"
#define SAMPLED(unit, samples, weights)                                                \
	"{\"type\":\"sampled\",\"name\":\"T\",\"unit\":\"" unit "\",\"startValue\":0," \
	"\"endValue\":9,\"samples\":" samples ",\"weights\":" weights "}"
#define EVENTED(events) "{\"type\":\"evented\",\"unit\":\"none\",\"events\":[" events "]}"
#define OPEN(frame, at) "{\"type\":\"O\",\"frame\":" frame ",\"at\":" at "}"
#define CLOSE(frame, at) "{\"type\":\"C\",\"frame\":" frame ",\"at\":" at "}"
#define FILE_OF(profiles) "{" FRAMES ",\"profiles\":[" profiles "]}"

static struct import_row rows[] = {
	{ "sampled", FILE_OF(SAMPLED("none", "[[0],[0,1],[]]", "[1,2,3]")),
	  "speedscope of samples\nT 0/0| a{unknown} 1\nT 0/0| a{unknown} b{unknown b.py 3} 2\n"
	  "T 0/0| 3\n",
	  0 },
	{ "evented",
	  FILE_OF(EVENTED(OPEN("0", "1") "," OPEN("1", "3") "," CLOSE("1", "3.5") "," CLOSE(
		  "0", "5") "," OPEN("1", "6") "," CLOSE("1", "8"))),
	  "speedscope of samples\n a{unknown} 3.5\n a{unknown} b{unknown b.py 3} 0.5\n"
	  " b{unknown b.py 3} 2\n",
	  0 },
	{ "profiles before frames",
	  "{\"profiles\":[" SAMPLED("bytes", "[[1]]", "[4]") "],\"x\":{\"y\":[1,\"]\"]}," FRAMES
							     "}",
	  "speedscope of bytes\nT 0/0| b{unknown b.py 3} 4\n", 0 },
	{ "decimals", FILE_OF(SAMPLED("milliseconds", "[[0],[1]]", "[0.5,1.25e1]")),
	  "speedscope of milliseconds\nT 0/0| a{unknown} 0.5\nT 0/0| b{unknown b.py 3} 12.5\n", 0 },
	{ "units of time",
	  FILE_OF(SAMPLED("seconds", "[[0]]", "[0.5]") "," SAMPLED("microseconds", "[[0]]",
								   "[1.5]")),
	  "speedscope of microseconds\nT 0/0| a{unknown} 500001.5\n", 0 },
	{ "other units", FILE_OF(SAMPLED("bytes", "[]", "[]") "," SAMPLED("seconds", "[]", "[]")),
	  "profile 2 has another unit than the one before", -EBADMSG },
	{ "its own unit", FILE_OF(SAMPLED("w\\u0061ves", "[[0]]", "[-1]")),
	  "speedscope of waves\nT 0/0| a{unknown} -1\n", 0 },
	{ "escapes",
	  "{\"shared\":{\"frames\":[{\"name\":\"\\\"\\\\\\/"
	  "\\b\\f\\n\\r\\t\\u00e9\\ud83d\\ude00\\ud800\\q"
	  "\"}]},\"profiles\":[" SAMPLED("none", "[[0]]", "[1]") "]}",
	  "speedscope of samples\nT 0/0| \"\\/\b\f\n\r\t\u00e9\U0001f600\ufffd\\q{unknown} 1\n",
	  0 },
	{ "no profile has samples", FILE_OF(SAMPLED("none", "[]", "[]")), "speedscope of samples\n",
	  0 },
	{ "lines of any kind",
	  "{\"shared\":{\"frames\":[{\"name\":\"a\",\"line\":null,\"col\":1},{\"name\":\"b\","
	  "\"line\":1.5"
	  "}]},\"profiles\":[" SAMPLED("none", "[[0,1]]", "[1]") "]}",
	  "speedscope of samples\nT 0/0| a{unknown} b{unknown 2} 1\n", 0 },
	{ "a weight too few", FILE_OF(SAMPLED("none", "[[0],[1]]", "[1]")),
	  "byte 188: fewer weights than samples", -EBADMSG },
	{ "a weight too many", FILE_OF(SAMPLED("none", "[[0]]", "[1,2]")),
	  "byte 184: more weights than samples", -EBADMSG },
	{ "no such frame", FILE_OF(SAMPLED("none", "[[2]]", "[1]")), "byte 168: no such frame",
	  -EBADMSG },
	{ "no frame at all", FILE_OF(SAMPLED("none", "[[-1]]", "[1]")),
	  "byte 167: an index expected", -EBADMSG },
	{ "no weight at all", FILE_OF(SAMPLED("none", "[[0]]", "[NaN]")),
	  "byte 182: a number expected", -EBADMSG },
	{ "not closed", FILE_OF(EVENTED(OPEN("0", "1"))),
	  "byte 156: a frame is still open at the end", -EBADMSG },
	{ "closed in the wrong order",
	  FILE_OF(EVENTED(OPEN("0", "1") "," OPEN("1", "1") "," CLOSE("0", "2"))),
	  "byte 215: a frame is closed that was not opened last", -EBADMSG },
	{ "never opened", FILE_OF(EVENTED(CLOSE("0", "2"))),
	  "byte 155: a frame is closed that was not opened last", -EBADMSG },
	{ "back in time", FILE_OF(EVENTED(OPEN("0", "2") "," CLOSE("0", "1"))),
	  "byte 185: the time of an event is before the last one's", -EBADMSG },
	{ "an event without a time", FILE_OF(EVENTED("{\"type\":\"O\",\"frame\":0}")),
	  "byte 148: an event without type O or C, frame or time", -EBADMSG },
	{ "no profile", FILE_OF(""), "byte 85: there is no profile", -EBADMSG },
	{ "no type", FILE_OF("{}"), "byte 86: a profile that is neither sampled nor evented",
	  -EBADMSG },
	{ "no samples", FILE_OF("{\"type\":\"sampled\"}"),
	  "byte 102: a sampled profile without samples or weights", -EBADMSG },
	{ "another program's JSON", "{\"traceEvents\":[]}",
	  "JSON without `shared` and `profiles`: not speedscope's", -EBADMSG },
	{ "more after the end", FILE_OF(SAMPLED("none", "[]", "[]")) "x",
	  "byte 183: the end of the file expected", -EBADMSG },
};
Test(import_speedscope, text)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		imported_expect(&rows[i]);
}

Test(import_speedscope, a_file_of_another_program)
{
	struct buffer file OWNS(buffer) = { 0 }, out OWNS(buffer) = { 0 };

	imported_file("speedscope/ok.json", &file);
	imported_describe(file.data, file.len, 0, &out);
	cr_expect(eq(
		str, out.data,
		"speedscope of nanoseconds\nT 0/0| main{unknown} work{unknown} 10\n"
		"T 0/0| main{unknown} work{unknown} leaf{unknown} 10\nT 0/0| main{unknown} 10\n"));
}

Test(import_speedscope, no_cut_of_a_file_is_a_profile)
{
	struct buffer file OWNS(buffer) = { 0 };

	imported_file("speedscope/ok.json", &file);
	while (file.len && (file.data[file.len - 1] == '\n'))
		file.len--;
	for (size_t len = 0; len < file.len; len++) {
		struct buffer out OWNS(buffer) = { 0 };

		imported_describe(file.data, len, -EBADMSG, &out);
	}
}
