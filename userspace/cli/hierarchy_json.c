/* SPDX-License-Identifier: Apache-2.0 */
/* The hierarchy as JSON, written as it is walked: of any depth. */
#include "cli/hierarchy_view.h"

#include "base/utf8.h"
#include "export/json_text.h"

#include <string.h>

/* Names of events and files come as they are: any bytes. */
static void add_bytes(struct buffer *out, const char *text, size_t len)
{
	OWNS(buffer) struct buffer valid = { 0 };

	utf8_repair(&valid, text, len);
	buffer_add_text(out, "\"");
	json_add_text(out, valid.data ? valid.data : "", valid.len);
	buffer_add_text(out, "\"");
}

/* `null` if there is none. */
static void add_text(struct buffer *out, const char *text)
{
	if (text)
		add_bytes(out, text, strlen(text));
	else
		buffer_add_text(out, "null");
}

/* As few digits as read back as the same number. */
static void add_share(struct buffer *out, double percent)
{
	double shown = share_shown(percent);
	char digits[32];

	for (int count = 15; count <= 17; count++) {
		snprintf(digits, sizeof(digits), "%.*g", count, shown);
		if (strtod(digits, NULL) >= shown && strtod(digits, NULL) <= shown)
			break;
	}
	buffer_add_text(out, digits);
}

static void add_member(struct buffer *out, const char *name, double percent)
{
	buffer_print(out, ",\"%s\":", name);
	add_share(out, percent);
}

static void add_symbol(struct buffer *out, const char *name, const struct share_entry *e)
{
	buffer_print(out, "\"%s\":", name);
	add_bytes(out, e->symbol, e->symbol_len);
}

static void add_relation(const struct shares *s, const struct share_relation *r, struct buffer *out)
{
	buffer_add_text(out, "{");
	add_symbol(out, "caller", &s->entries[r->caller]);
	buffer_add_text(out, ",");
	add_symbol(out, "callee", &s->entries[r->callee]);
	add_member(out, "relative_pct", r->relative);
	add_member(out, "absolute_pct", r->absolute);
	buffer_add_text(out, "}");
}

static void add_entry(const struct shares *s, const struct share_entry *e, struct buffer *out)
{
	buffer_add_text(out, "{");
	add_symbol(out, "symbol", e);
	add_member(out, "original_children_pct", e->children);
	add_member(out, "original_self_pct", e->self);
	add_member(out, "adjusted_children_pct", e->adjusted);
	buffer_print(out, ",\"is_caller\":%s,\"callees\":[",
		     e->relation_end > e->relations ? "true" : "false");
	for (uint32_t i = e->relations; i < e->relation_end; i++) {
		buffer_add_text(out, i > e->relations ? "," : "");
		add_relation(s, &s->relations[i], out);
	}
	buffer_add_text(out, "]}");
}

static void close_nodes(uint32_t count, struct buffer *out)
{
	while (count--)
		buffer_add_text(out, "]}");
}

static void add_tree(const struct shares *s, struct buffer *out)
{
	uint32_t open = 0;

	for (uint32_t i = 0; i < s->node_count; i++) {
		const struct share_node *n = &s->nodes[i];

		close_nodes(open - n->depth, out);
		buffer_add_text(out, i && n->depth < open ? ",{" : "{");
		add_symbol(out, "symbol", &s->entries[n->entry]);
		add_member(out, "absolute_pct", n->absolute);
		add_member(out, "relative_pct", n->relative);
		buffer_add_text(out, ",\"callees\":[");
		open = n->depth + 1;
	}
	close_nodes(open, out);
}

static void add_events(const struct hierarchy_about *a, struct buffer *out)
{
	buffer_add_text(out, ",\"event\":");
	add_text(out, a->has_event ? a->event.data : NULL);
	buffer_add_text(out, ",\"events\":[");
	for (size_t at = 0; at < a->events.len; at += strlen(a->events.data + at) + 1) {
		buffer_add_text(out, at ? "," : "");
		add_text(out, a->events.data + at);
	}
	buffer_add_text(out, "]");
}

static void add_warnings(const struct hierarchy_about *a, struct buffer *out)
{
	buffer_add_text(out, ",\"warnings\":[");
	for (size_t at = 0; at < a->warnings.len;) {
		size_t len = strcspn(a->warnings.data + at, "\n");

		buffer_add_text(out, at ? "," : "");
		add_bytes(out, a->warnings.data + at, len);
		at += len + 1;
	}
	buffer_add_text(out, "]");
}

static void add_about(const struct shares *s, const struct hierarchy_about *a, struct buffer *out)
{
	buffer_add_text(out, "{\"format\":");
	add_text(out, a->format);
	buffer_add_text(out, ",\"mode\":");
	add_text(out, a->mode);
	buffer_add_text(out, ",\"order\":");
	add_text(out, a->order);
	add_events(a, out);
	buffer_add_text(out, ",\"unit\":");
	add_text(out, a->unit);
	buffer_print(out, ",\"total\":%s,\"exact\":%s", a->total.len ? a->total.data : "null",
		     s->is_exact ? "true" : "false");
	add_member(out, "error_pct", s->error_pct);
	add_warnings(a, out);
}

int hierarchy_json_add(const struct shares *s, const struct hierarchy_about *about,
		       struct buffer *out)
{
	add_about(s, about, out);
	buffer_add_text(out, ",\"entries\":[");
	for (uint32_t i = 0; i < s->entry_count; i++) {
		buffer_add_text(out, i ? "," : "");
		add_entry(s, &s->entries[i], out);
	}
	buffer_add_text(out, "],\"tree\":[");
	add_tree(s, out);
	buffer_add_text(out, "]}\n");
	return buffer_error(out);
}
