/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes a made-up profile in one of our formats, for tests/integration/flamegraph:
 *
 *	flamegraph_profile SHAPE FORMAT > FILE
 *
 * and on stderr how long the format took.
 */
#include "base/clock.h"
#include "export/exporter.h"

#include <stdio.h>
#include <string.h>

#define STACKS 1000000
#define DEPTH 40
#define FUNCTIONS 50000
#define DEEP 20000

struct made {
	struct profile *profile;
	uint64_t random;
	int err; /* sticky */
};

static uint32_t below(struct made *m, uint32_t end)
{
	/* xorshift64 (Marsaglia 2003) */
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return (m->random >> 32) % end;
}

static profile_id add_string(struct made *m, const char *text)
{
	profile_id id = 0;

	if (!m->err)
		m->err = profile_add_string(m->profile, text, strlen(text), &id);
	return id;
}

/* A frame of the function @name in @file on top of @prefix. */
static profile_id push(struct made *m, profile_id prefix, const char *name, const char *file,
		       enum profile_kind kind)
{
	struct profile_function function = {
		.name = add_string(m, name),
		.file = add_string(m, file),
		.first_line = file[0] ? 7 : 0,
		.kind = kind,
	};
	struct profile_frame frame = { 0 };
	struct profile_stack stack = { .prefix = prefix };
	profile_id id = PROFILE_NONE;

	if (!m->err)
		m->err = profile_add_function(m->profile, &function, &frame.function);
	if (!m->err)
		m->err = profile_add_frame(m->profile, &frame, &stack.frame);
	if (!m->err)
		m->err = profile_add_stack(m->profile, &stack, &id);
	return id;
}

static profile_id add_thread(struct made *m, uint32_t pid, uint32_t tid, const char *name)
{
	struct profile_thread thread = {
		.pid = pid,
		.tid = tid,
		.name = add_string(m, name),
		.process = add_string(m, "python3"),
	};
	profile_id id = 0;

	if (!m->err)
		m->err = profile_add_thread(m->profile, &thread, &id);
	return id;
}

static void sample(struct made *m, profile_id stack, profile_id thread, int64_t weight)
{
	struct profile_sample row = {
		.stack = stack, .thread = thread, .weight = weight, .count = 1
	};

	if (!m->err)
		m->err = profile_add_sample(m->profile, &row);
}

/* Every kind; 60 % in outer, of which 40 % in inner; 30 % in idle; 10 % in the kernel. */
static void make_small(struct made *m)
{
	profile_id thread = add_thread(m, 1234, 1234, "MainThread");
	profile_id root = push(m, PROFILE_NONE, "<module>", "/srv/app.py", PROFILE_PYTHON);
	profile_id outer = push(m, root, "outer", "/srv/app.py", PROFILE_PYTHON);
	profile_id inner = push(m, outer, "inner", "/srv/lib/inner.py", PROFILE_PYTHON);
	profile_id native = push(m, root, "memcpy", "/usr/lib/libc.so.6", PROFILE_NATIVE);

	sample(m, outer, thread, 200000000);
	sample(m, inner, thread, 350000000);
	sample(m, push(m, inner, "outer", "/srv/app.py", PROFILE_PYTHON), thread, 50000000);
	sample(m, native, thread, 250000000);
	sample(m, push(m, native, "do_syscall_64", "[kernel]", PROFILE_KERNEL), thread, 100000000);
	sample(m, push(m, root, "??", "", PROFILE_UNKNOWN), thread, 50000000);
}

/* Two processes, three threads, in the order of time. */
static void make_threads(struct made *m)
{
	profile_id first = add_thread(m, 10, 10, "MainThread");
	profile_id second = add_thread(m, 10, 11, "worker");
	profile_id other = add_thread(m, 20, 20, "MainThread");
	profile_id root = push(m, PROFILE_NONE, "main", "/srv/app.py", PROFILE_PYTHON);
	profile_id a = push(m, root, "a", "/srv/app.py", PROFILE_PYTHON);
	profile_id b = push(m, root, "b", "/srv/app.py", PROFILE_PYTHON);

	profile_about(m->profile)->keeps_order = true;
	for (int i = 0; i < 10; i++) {
		sample(m, a, first, 10);
		sample(m, b, first, 20);
		sample(m, b, second, 5);
		sample(m, push(m, b, "c", "/srv/app.py", PROFILE_PYTHON), other, 15);
	}
}

/* Names that want to be more than text. */
static void make_hostile(struct made *m)
{
	static const char *const names[] = {
		"</script><script>window.broken = 1</script>",
		"<img src=x onerror=\"window.broken = 2\">",
		"<!--<script>",
		"]]></text><script>window.broken = 3</script>",
		"{{profile}}",
		"__proto__",
		"constructor",
		"line\nbreak\r\ttab\x1b[31mred\x7f",
		"\u202egnp.exe\u2066",
		"\u2028separator\u2029",
		"\"quotes\" 'single' \\back\\u003c",
		"&lt;entity&gt; &amp;",
		"\u65e5\u672c\u8a9e\u306e\u95a2\u6570\u540d \U0001f40d",
		"\xef\xbf\xbf\xef\xbf\xbe\xc2\x85",
		"",
	};
	profile_id thread = add_thread(m, 1, 1, "</title><script>window.broken = 4</script>");

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		sample(m, push(m, PROFILE_NONE, names[i], "</script>", PROFILE_PYTHON), thread,
		       100);
}

/* One stack of DEEP frames, with a sample on every hundredth. */
static void make_deep(struct made *m)
{
	profile_id thread = add_thread(m, 1, 1, "MainThread");
	profile_id stack = PROFILE_NONE;

	for (int i = 0; i < DEEP; i++) {
		stack = push(m, stack, i % 2 ? "ping" : "pong", "/srv/app.py", PROFILE_PYTHON);
		if (i % 100 == 99)
			sample(m, stack, thread, 1000000);
	}
}

/* A function by number; a stack changes from some depth on, mostly near its end. */
static profile_id numbered(struct made *m, profile_id prefix, uint32_t number)
{
	char name[32], file[32];

	snprintf(name, sizeof(name), "function_%u", number);
	snprintf(file, sizeof(file), "/srv/module_%u.py", number / 50);
	return push(m, prefix, name, file, number % 4 ? PROFILE_PYTHON : PROFILE_NATIVE);
}

static void make_million(struct made *m)
{
	profile_id thread = add_thread(m, 1, 1, "MainThread");
	profile_id path[DEPTH];
	uint32_t depth = 0;

	for (uint32_t i = 0; i < STACKS; i++) {
		while (depth < DEPTH) {
			profile_id prefix = depth ? path[depth - 1] : PROFILE_NONE;

			/* Callers are few and hot, leaves many. */
			path[depth] = numbered(m, prefix, below(m, depth < 20 ? 40 : FUNCTIONS));
			depth++;
		}
		sample(m, path[DEPTH - 1], thread, 1000000 + below(m, 1000000));
		/* So many frames at the end go; once in a while nearly all. */
		depth = DEPTH - 1 - (below(m, 8) ? below(m, 4) : below(m, DEPTH));
	}
}

/* The same million in the order of time. */
static void make_ordered(struct made *m)
{
	profile_about(m->profile)->keeps_order = true;
	make_million(m);
}

static const struct {
	const char *name;
	void (*make)(struct made *m);
} shapes[] = {
	{ "small", make_small },     { "threads", make_threads }, { "hostile", make_hostile },
	{ "ordered", make_ordered }, { "deep", make_deep },	  { "million", make_million },
	{ "empty", NULL },
};

/* False if there is no such shape. */
static bool make(struct made *m, const char *shape)
{
	for (size_t i = 0; i < sizeof(shapes) / sizeof(*shapes); i++) {
		if (strcmp(shapes[i].name, shape) != 0)
			continue;
		if (shapes[i].make)
			shapes[i].make(m);
		return true;
	}
	return false;
}

int main(int argc, char **argv)
{
	OWNS(profile) struct profile *p = profile_new();
	static const struct export_options usual;
	const struct exporter *exporter = argc == 3 ? exporter_find(argv[2]) : NULL;
	struct made m = { .profile = p, .random = 88172645463325252u };
	struct buffer out OWNS(buffer) = { 0 };
	uint64_t start_ns;

	if (!p || !exporter || !make(&m, argv[1]) || m.err)
		return 2;
	start_ns = monotonic_ns();
	if (exporter->write(p, &usual, &out))
		return 1;
	fprintf(stderr, "%.2f\n", (monotonic_ns() - start_ns) / 1e9);
	return fwrite(out.data, 1, out.len, stdout) == out.len ? 0 : 1;
}
