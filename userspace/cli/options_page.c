/* SPDX-License-Identifier: Apache-2.0 */
/* The options of what is a page or a profile: snapshot's, and those that tree shares. */
#include "cli/options_parts.h"

#include "cli/values.h"

#include <string.h>

#define EVERY_LEAST 0.1

static int set_every(struct cli_options *o, const char *text, const char *verb,
		     struct buffer *message)
{
	double every;

	if (!value_time(text, &every) && every >= EVERY_LEAST)
		return o->page.every = every, 0;
	return usage(message, verb,
		     "\"%s\" is not a time between scans (5, 5s, 2min or 1h; %g to %d s)", text,
		     EVERY_LEAST, SPPROF_SECONDS_MAX);
}

int options_set_page(int key, const char *text, struct cli_options *o, const char *verb,
		     struct buffer *message)
{
	if (key == OPT_EVERY)
		return set_every(o, text, verb, message);
	return options_set_text(&o->page.before, text, "diff", verb, message);
}

/* The first option that only a profile heeds, or NULL. */
static const char *shape_name(const struct export_options *shape)
{
	if (shape->with_lines)
		return "lines";
	if (shape->as_samples)
		return "samples";
	return shape->with_threads ? "threads" : NULL;
}

/* What is shown goes out as text, as JSON, or as a profile. */
static int check_way_out(struct cli_options *o, const char *name, struct buffer *message)
{
	const char *shape = shape_name(&o->shape);
	bool is_file = o->format || o->page.to_json || o->output;

	if (is_file && o->as_json)
		return usage(message, name, "--json prints what is shown; it does not go with --%s",
			     o->output && !o->format && !o->page.to_json ? "output" : "format");
	if (shape && (!is_file || o->page.to_json))
		return usage(message, name, "--%s needs %s", shape,
			     is_file ? "a profile, which JSON is not" : "--format or --output");
	if (is_file && !o->format && !o->page.to_json)
		o->format = &export_speedscope;
	return 0;
}

static const char *part_name(unsigned int part)
{
	if (part & PART_CPU)
		return "cpu";
	return part & PART_HEAP ? "heap" : "types";
}

/* Several scans, or one and an earlier one. */
static int check_comparison(struct cli_options *o, const char *name, struct buffer *message)
{
	const char *what = o->page.before ? "diff" : "every";

	if (!o->page.before && o->page.every <= 0)
		return o->count ? usage(message, name, "--count needs --every") : 0;
	if (o->count && o->page.every <= 0)
		return usage(message, name, "--count needs --every");
	if (o->page.parts & ~PART_TYPES)
		return usage(message, name, "--%s is about types; it does not go with --%s", what,
			     part_name(o->page.parts));
	if (o->format)
		return usage(message, name, "--%s makes no profile: leave --format out, or %s",
			     what, "say --format json");
	o->page.parts = PART_TYPES;
	return 0;
}

static int check_parts(struct cli_options *o, const char *name, struct buffer *message)
{
	unsigned int parts = o->page.parts;
	int err;

	if (parts & (parts - 1))
		return usage(message, name, "needs only one of --cpu, --heap or --types");
	err = check_comparison(o, name, message);
	return err ? err : options_check_heap(o, name, message);
}

int options_check_page(struct cli_options *o, const char *name, struct buffer *message)
{
	int err = check_way_out(o, name, message);

	if (!err && o->verb == FOR_SNAPSHOT)
		err = check_parts(o, name, message);
	return err;
}
