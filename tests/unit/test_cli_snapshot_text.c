/* SPDX-License-Identifier: Apache-2.0 */
/* The page as text, compared byte for byte with the files of tests/golden/snapshot/. */
#include "cli/snapshot_text.h"

#include "golden.h"

#include <criterion/criterion.h>
#include <string.h>

static const char busy[] =
	"{\"pid\":1234,\"name\":\"python3\",\"python\":\"3.11.2\",\"build\":\"/usr/bin/"
	"py\\nthon\",\"user\":\"alice\","
	"\"uptime_s\":3725.5,\"threads\":["
	"{\"tid\":1234,\"name\":\"MainThread\",\"state\":\"running\",\"read\":\"sampled\","
	"\"frames\":["
	"{\"function\":\"a\",\"file\":\"/srv/"
	"app.py\",\"line\":17,\"first_line\":15,\"kind\":\"python\"},"
	"{\"function\":\"f1\",\"file\":\"/srv/app.py\",\"line\":1,\"first_line\":1},"
	"{\"function\":\"f2\",\"file\":\"/srv/app.py\",\"line\":2,\"first_line\":1},"
	"{\"function\":\"f3\",\"file\":\"/srv/app.py\",\"line\":3,\"first_line\":1},"
	"{\"function\":\"f4\",\"file\":\"/srv/app.py\",\"line\":4,\"first_line\":1},"
	"{\"function\":\"f5\",\"file\":\"/srv/app.py\",\"line\":5,\"first_line\":1},"
	"{\"function\":\"<module>\",\"file\":\"/srv/app.py\",\"line\":6,\"first_line\":1}]},"
	"{\"tid\":1240,\"name\":\"worker\\nodd\",\"state\":\"sleeping\",\"read\":\"outside\","
	"\"frames\":["
	"{\"function\":\"[native]\",\"file\":\"\",\"line\":0,\"first_line\":0,\"kind\":\"native\"}]"
	"}],"
	"\"cpu\":{\"window_s\":10.0,\"share\":1.0234,\"samples\":1013,\"functions\":["
	"{\"function\":\"a\",\"file\":\"/srv/"
	"app.py\",\"self_share\":0.6655,\"total_share\":0.6655},"
	"{\"function\":\"\\u001b[31mred\",\"file\":\"/srv/\\u202eapp.py\",\"self_share\":0.3333,"
	"\"total_share\":1.0}],\"functions_omitted\":3,\"lines\":["
	"{\"file\":\"/srv/app.py\",\"line\":17,\"self_share\":0.4412}],\"lines_omitted\":0},"
	"\"memory\":{\"rss_bytes\":36175872,\"rss_anon_bytes\":21495808,\"rss_file_bytes\":"
	"14680064,"
	"\"rss_shmem_bytes\":0,\"pss_bytes\":30000000,\"swap_bytes\":0},"
	"\"lost\":{\"ring_full\":3,\"no_room\":0,\"target_gone\":1},\"ended\":false,"
	"\"unknown_share\":0.004}";

static const char ended[] =
	"{\"pid\":7,\"name\":\"worker\",\"python\":\"3.13.5\",\"user\":\"1000\",\"uptime_s\":9,"
	"\"threads\":[],\"cpu\":{\"window_s\":4.0,\"share\":0.5,\"samples\":20,\"functions\":["
	"{\"function\":\"spin\",\"file\":\"\",\"self_share\":1,\"total_share\":1}],\"lines\":[]},"
	"\"memory\":null,\"lost\":{},\"ended\":true,\"unknown_share\":0}";

static const struct row {
	const char *golden, *page;
} rows[] = {
	{ "snapshot/busy.txt", busy },
	{ "snapshot/ended.txt", ended },
	{ "snapshot/nothing_known.txt", "{}" },
	{ "snapshot/odd_types.txt",
	  "{\"pid\":\"x\",\"threads\":{},\"cpu\":[1],\"memory\":3,\"lost\":[],\"uptime_s\":-1}" },
};

Test(cli_snapshot_text, pages_are_laid_out)
{
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		OWNS(buffer) struct buffer out = { 0 };
		json_t *page = json_loads(rows[i].page, 0, NULL);

		cr_assert(page != NULL, "%s", rows[i].golden);
		snapshot_text_add(page, &out);
		cr_assert(buffer_error(&out) == 0);
		expect_golden(rows[i].golden, out.data, out.len);
		json_decref(page);
	}
}

Test(cli_snapshot_text, long_tables_are_cut_and_say_so)
{
	OWNS(buffer) struct buffer out = { 0 };
	json_t *page = json_object(), *cpu = json_object(), *functions = json_array();

	for (int i = 0; i < 25; i++)
		json_array_append_new(functions,
				      json_pack("{ss ss sf sf}", "function", "f", "file", "x.py",
						"self_share", 0.04, "total_share", 0.04));
	json_object_set_new(cpu, "functions", functions);
	json_object_set_new(cpu, "functions_omitted", json_integer(100));
	json_object_set_new(page, "cpu", cpu);
	snapshot_text_add(page, &out);
	cr_assert(strstr(out.data, "... and 115 more\n") != NULL, "%s", out.data);
	json_decref(page);
}

Test(cli_snapshot_text, times_have_their_two_largest_units)
{
	static const struct {
		double seconds;
		const char *text;
	} times[] = { { 0, "up 0 s\n" },	 { 59.9, "up 59 s\n" },
		      { 60, "up 1 min 0 s\n" },	 { 3725, "up 1 h 2 min\n" },
		      { 90000, "up 1 d 1 h\n" }, { 8640000, "up 100 d 0 h\n" } };

	for (size_t i = 0; i < sizeof(times) / sizeof(times[0]); i++) {
		OWNS(buffer) struct buffer out = { 0 };
		json_t *page = json_pack("{sf}", "uptime_s", times[i].seconds);

		snapshot_text_add(page, &out);
		cr_expect(strstr(out.data, times[i].text) != NULL, "%s", out.data);
		json_decref(page);
	}
}
