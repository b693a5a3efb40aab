/* SPDX-License-Identifier: Apache-2.0 */
#include "import/names.h"
#include "import/perf_line.h"

#include <string.h>

static bool is_hex(char c)
{
	return perf_is_digit(c) || (c >= 'a' && c <= 'f');
}

static bool starts_with(const struct perf_text *t, const char *text)
{
	return t->len >= strlen(text) && memcmp(t->text, text, strlen(text)) == 0;
}

const char *perf_find_symbol(const char *text, const char *end)
{
	const char *at = text;

	while (at < end && perf_is_blank(*at))
		at++;
	text = at;
	while (at < end && is_hex(*at))
		at++;
	if (at == text || (at < end && !perf_is_blank(*at)))
		return NULL;
	return at < end ? at + 1 : at;
}

/* Kernel addresses have their highest bits set on all 64-bit machines. */
static bool is_kernel_address(const char *text, const char *end)
{
	const char *start = text;

	while (start < end && perf_is_blank(*start))
		start++;
	return end - start >= 16 && memcmp(start, "ffff", 4) == 0 && is_hex(start[15]);
}

/* Where the parenthesis opens that the last byte before @end closes. NULL: nowhere. */
static const char *find_open(const char *text, const char *end)
{
	const char *last = NULL;
	size_t depth = 0;

	for (const char *at = end; at-- > text;) {
		depth += *at == ')';
		if (*at != '(')
			continue;
		depth -= depth > 0;
		if (at > text && !perf_is_blank(at[-1]))
			continue;
		if (!depth)
			return at;
		last = at;
	}
	return last;
}

/* @t without a `+0x12` at its end. */
static void cut_offset(struct perf_text *t)
{
	const char *end = t->text + t->len, *at = end;

	while (at > t->text && is_hex(at[-1]))
		at--;
	if (at < end && at - t->text >= 3 && memcmp(at - 3, "+0x", 3) == 0)
		t->len = at - 3 - t->text;
}

static void cut_blanks(struct perf_text *t)
{
	while (t->len && perf_is_blank(t->text[t->len - 1]))
		t->len--;
}

static void read_module(struct perf_frame *f)
{
	const char *end = f->symbol.text + f->symbol.len, *open;

	if (!f->symbol.len || end[-1] != ')')
		return;
	open = find_open(f->symbol.text, end);
	if (!open)
		return;
	f->has_module = true;
	f->symbol.len = open - f->symbol.text;
	f->module = (struct perf_text){ open + 1, end - open - 2 };
	if (perf_text_is(&f->module, "inlined") || perf_text_is(&f->module, "[unknown]")) {
		f->is_inlined = f->module.text[0] == 'i';
		f->module.len = 0;
	}
	cut_offset(&f->module);
}

bool perf_read_frame(const char *text, const char *end, struct perf_frame *f)
{
	const char *symbol = perf_find_symbol(text, end);

	if (!symbol)
		return false;
	*f = (struct perf_frame){ .symbol = { symbol, end - symbol } };
	f->is_kernel_address = is_kernel_address(text, symbol);
	cut_blanks(&f->symbol);
	read_module(f);
	cut_blanks(&f->symbol);
	cut_offset(&f->symbol);
	return true;
}

static bool ends_like_module(const struct perf_text *t)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.gz", ".ko.zst" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t len = strlen(ends[i]);

		if (t->len > len && memcmp(t->text + t->len - len, ends[i], len) == 0)
			return true;
	}
	return false;
}

/* The kernel and its modules: `[kernel.kallsyms]`, `[i915]`, `/lib/modules/…/i915.ko.xz`. */
static bool is_kernel(const struct perf_text *module)
{
	static const char *const others[] = { "[vdso]", "[vdso32]", "[vsyscall]",
					      "[heap]", "[stack]",  "[anon]" };

	if (ends_like_module(module) || starts_with(module, "bpf_prog_"))
		return true;
	if (!starts_with(module, "[") || module->text[module->len - 1] != ']')
		return false;
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (perf_text_is(module, others[i]))
			return false;
	return !starts_with(module, "[anon:");
}

/*
 * CPython 3.12 and later with -X perf: `py::NAME:FILE` in /tmp/perf-PID.map, or in
 * /tmp/jitted-PID-N.so. Source: cpython/Objects/perf_trampoline.c
 */
static bool read_python(const struct perf_frame *f, struct perf_text *name, struct perf_text *file)
{
	const char *base = memrchr(f->module.text, '/', f->module.len), *colon;
	struct perf_text last = f->module;

	if (base)
		last = (struct perf_text){ base + 1, f->module.text + f->module.len - base - 1 };
	if (!starts_with(&f->symbol, "py::") ||
	    !(starts_with(&last, "perf-") || starts_with(&last, "jitted-")))
		return false;
	*name = (struct perf_text){ f->symbol.text + 4, f->symbol.len - 4 };
	colon = memchr(name->text, ':', name->len);
	if (!colon || colon == name->text)
		return false;
	*file = (struct perf_text){ colon + 1, name->text + name->len - colon - 1 };
	name->len = colon - name->text;
	return true;
}

static enum profile_kind kind_of(const struct perf_frame *f)
{
	if (f->module.len)
		return is_kernel(&f->module) ? PROFILE_KERNEL : PROFILE_NATIVE;
	if (f->is_kernel_address)
		return PROFILE_KERNEL;
	return perf_text_is(&f->symbol, "[unknown]") || !f->symbol.len ? PROFILE_UNKNOWN
								       : PROFILE_NATIVE;
}

int perf_add_frame(struct profile *p, const struct perf_frame *f, profile_id *frame)
{
	static const struct perf_text nameless = { "[unknown]", sizeof("[unknown]") - 1 };
	struct profile_function function = { .kind = kind_of(f) };
	struct perf_text name = f->symbol.len ? f->symbol : nameless, file = f->module;
	int err = 0;

	if (f->module.len && read_python(f, &name, &file)) {
		function.kind = PROFILE_PYTHON;
		if (f->is_as_printed) {
			name = f->symbol;
			file = f->module;
		}
	}
	err = names_add(p, name.text, name.len, &function.name);
	if (!err && file.len)
		err = names_add(p, file.text, file.len, &function.file);
	return err ? err : names_add_frame(p, &function, 0, frame);
}
