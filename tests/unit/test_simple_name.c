/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/simple_name.h"

#include <criterion/criterion.h>
#include <criterion/new/assert.h>
#include <string.h>

struct simple_row {
	const char *name, *simple;
};

static const struct simple_row simple_rows[] = {
	/* C++: parameters, arguments, return type, qualifiers */
	{ "work(int)", "work" },
	{ "Worker::run(std::map<int, int>) const", "Worker::run" },
	{ "std::vector<int> f<int>(char (*)(int)) const", "f" },
	{ "void std::sort<int*, bool (*)(int, int)>(int*, int*, bool (*)(int, int))", "std::sort" },
	{ "std::vector<int, std::allocator<int> >::push_back(int const&)",
	  "std::vector::push_back" },
	{ "unsigned long hash<(Kind)1>(unsigned long)", "hash" },
	{ "decltype(auto) f<int>(int)", "f" },
	{ "decltype (g(0)) f<int>(int)", "f" },
	{ "auto A::f<decltype (a->b)>() &&", "A::f" },
	{ "int const& A::get<int>() const &", "A::get" },
	{ "void (*get<int>(char))(int)", "get" },
	{ "A::~A()", "A::~A" },
	{ "shift<(8 >> 2)>(int)", "shift" },
	{ "f[abi:cxx11](int)", "f[abi:cxx11]" },
	{ "f(int)@plt", "f@plt" },
	{ "non-virtual thunk to A::f()", "A::f" },
	/* operators */
	{ "Matrix::operator<(Matrix const&) const", "Matrix::operator<" },
	{ "bool operator< <int>(A<int> const&, int)", "operator<" },
	{ "std::ostream& std::operator<< <std::char_traits<char> >(std::ostream&, char const*)",
	  "std::operator<<" },
	{ "bool operator-<int>(A<int>)", "operator-" },
	{ "bool operator><int>(A<int>)", "operator>" },
	{ "Foo::operator->() const", "Foo::operator->" },
	{ "Foo::operator->*(int)", "Foo::operator->*" },
	{ "Foo::operator()(int)", "Foo::operator()" },
	{ "void Foo::operator()<int>(int) const", "Foo::operator()" },
	{ "Foo::operator[](int)", "Foo::operator[]" },
	{ "Foo::operator,(int)", "Foo::operator," },
	{ "Foo::operator--(int)", "Foo::operator--" },
	{ "Foo::operator bool() const", "Foo::operator bool" },
	{ "Foo::operator unsigned long() const", "Foo::operator unsigned long" },
	{ "Foo<int>::operator std::vector<int>() const", "Foo::operator std::vector" },
	{ "operator new(unsigned long)", "operator new" },
	{ "operator new[](unsigned long)", "operator new[]" },
	{ "operator delete(void*)", "operator delete" },
	{ "operator\"\" _kb(unsigned long long)", "operator\"\" _kb" },
	{ "my_operator<int>(int)", "my_operator" },
	{ "operator_of<int>(int)", "operator_of" },
	/* what brackets name */
	{ "(anonymous namespace)::foo(int)", "(anonymous namespace)::foo" },
	{ "void (anonymous namespace)::foo<int>(int)", "(anonymous namespace)::foo" },
	{ "a::(anonymous namespace)::b::c()", "a::(anonymous namespace)::b::c" },
	{ "{lambda(int)#1}::operator()(int) const", "{lambda(int)#1}::operator()" },
	{ "auto f<int>(int)::{lambda(auto:1)#1}::operator()<int>(int) const",
	  "f::{lambda(auto:1)#1}::operator()" },
	{ "f(int) const::{lambda()#2}::_FUN()", "f::{lambda()#2}::_FUN" },
	{ "main::'lambda'(int)::operator()(int) const", "main::'lambda'::operator()" },
	{ "main()::<lambda(int)>", "main::<lambda(int)>" },
	/* clones */
	{ "f(int) [clone .isra.0]", "f [clone .isra.0]" },
	{ "f(int) const [clone .part.0] [clone .cold]", "f [clone .part.0] [clone .cold]" },
	{ "finish_task_switch.isra.0", "finish_task_switch.isra.0" },
	{ "f.constprop.0", "f.constprop.0" },
	/* Rust */
	{ "<hot::Ci as hot::Shape>::area", "<hot::Ci as hot::Shape>::area" },
	{ "<alloc::vec::Vec<T> as core::ops::Index<I>>::index",
	  "<alloc::vec::Vec<T> as core::ops::Index<I>>::index" },
	{ "core::ptr::drop_in_place<alloc::string::String>", "core::ptr::drop_in_place" },
	{ "core::ptr::drop_in_place::<alloc::string::String>", "core::ptr::drop_in_place" },
	{ "a::f::<u32>::g", "a::f::g" },
	{ "core::fmt::num::<impl core::fmt::Display for u32>::fmt",
	  "core::fmt::num::<impl core::fmt::Display for u32>::fmt" },
	{ "<fn() -> u32 as a::T>::f", "<fn() -> u32 as a::T>::f" },
	{ "app::main::{{closure}}", "app::main::{{closure}}" },
	/* Python, Go, Objective-C */
	{ "Worker.work", "Worker.work" },
	{ "f.<locals>.<lambda>", "f.<locals>.<lambda>" },
	{ "f.<locals>.g", "f.<locals>.g" },
	{ "<listcomp>", "<listcomp>" },
	{ "<module>", "<module>" },
	{ "py::Worker.work:/srv/app.py", "Worker.work" },
	{ "py::<module>:/srv/a:b.py", "<module>" },
	{ "py::object::f(int)", "py::object::f" },
	{ "py::f", "py::f" },
	{ "main.(*T).Method", "main.(*T).Method" },
	{ "main.Map[...].Get", "main.Map[...].Get" },
	{ "-[A b:]", "-[A b:]" },
	{ "+[A(Cat) b:c:]", "+[A(Cat) b:c:]" },
	/* names without anything to take off */
	{ "abcdef", "abcdef" },
	{ "0x7ffce84f76c0", "0x7ffce84f76c0" },
	{ "[unknown]", "[unknown]" },
	{ "asm_sysvec_apic_timer_interrupt", "asm_sysvec_apic_timer_interrupt" },
	{ "LazyCompile:*run /srv/app.js:12", "LazyCompile:*run /srv/app.js:12" },
	{ "_ZN3fooEv", "_ZN3fooEv" },
	{ "operator", "operator" },
	{ "()", "()" },
	{ " ", " " },
	{ "", "" },
	/* brackets that nothing closes or opens */
	{ "f<int", "f<int" },
	{ "void f<int>(std::vector<int", "f" },
	{ "f(int", "f" },
	{ "(f", "(f" },
	{ "a>b", "a>b" },
	{ "f)", "f)" },
	{ "{lambda(int", "{lambda(int" },
};

Test(simple_name, is_what_people_say)
{
	static const char before[] = "before (a b) ";

	for (size_t i = 0; i < sizeof(simple_rows) / sizeof(*simple_rows); i++) {
		const struct simple_row *row = &simple_rows[i];
		struct buffer out OWNS(buffer) = { 0 };

		buffer_add_text(&out, before);
		simple_name_add(row->name, strlen(row->name), &out);
		cr_assert(buffer_error(&out) == 0);
		cr_assert(strncmp(out.data, before, strlen(before)) == 0);
		cr_assert(eq(str, out.data + strlen(before), (char *)row->simple), "of %s",
			  row->name);
	}
}

struct match_row {
	const char *simple, *target;
	bool matches;
};

static const struct match_row match_rows[] = {
	{ "work", "work", true },
	{ "Worker.work", "work", true },
	{ "Worker.work", "Worker.work", true },
	{ "a::Worker::work", "Worker::work", true },
	{ "__network", "work", false },
	{ "network", "work", false },
	{ "work", "Worker.work", false },
	{ "Worker.work", "Worker", false },
	{ "Worker.work", "", false },
	{ "Worker.work", ".work", false },
	{ "", "", false },
	{ "a:work", "work", false },
	{ "main.(*T).Method", "Method", true },
	{ "main.(*T).Method", "(*T).Method", true },
	{ "f.<locals>.g", "g", true },
	{ "f.<locals>.<lambda>", "<lambda>", true },
	{ "<hot::Ci as hot::Shape>::area", "area", true },
	{ "<hot::Ci as hot::Shape>::area", "Shape>::area", false },
	{ "<hot::Ci as hot::Shape>::area", "<hot::Ci as hot::Shape>::area", true },
	{ "(anonymous namespace)::foo", "foo", true },
	{ "a::{lambda(b::c)#1}", "c)#1}", false },
	{ "f::{lambda(int)#1}::operator()", "operator()", true },
	{ "Foo::operator<", "operator<", true },
	{ "Foo::operator<", "<", false },
	{ "Foo::operator<::{lambda()#1}::run", "run", true },
	{ "Foo::operator->::{lambda()#1}::run", "run", true },
	{ "Foo::operator bool", "operator bool", true },
	{ "finish_task_switch.isra.0", "finish_task_switch", false },
	{ "finish_task_switch.isra.0", "finish_task_switch.isra.0", true },
	{ "f [clone .isra.0]", "f", false },
	{ "-[A b:]", "-[A b:]", true },
	{ "a>::b", "b", true },
	{ "<a::b", "b", false },
};

Test(simple_name, matches_by_its_last_components)
{
	for (size_t i = 0; i < sizeof(match_rows) / sizeof(*match_rows); i++) {
		const struct match_row *row = &match_rows[i];
		bool matches = simple_name_matches(row->simple, strlen(row->simple), row->target,
						   strlen(row->target));

		cr_assert(matches == row->matches, "\"%s\" as \"%s\"", row->simple, row->target);
	}
}

/* Each of these is read in no time, or not within the time of all tests. */
Test(simple_name, may_be_a_megabyte)
{
	static const char *const parts[] = { "(",  "<",	  "(*",	 "operator< <", "f(", "->",
					     "()", "a::", "f<(", "{",		"&",  " const" };
	enum { SIZE = 1 << 20 };
	char *name = malloc(SIZE);

	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++) {
		struct buffer out OWNS(buffer) = { 0 };

		for (size_t at = 0; at < SIZE; at++)
			name[at] = parts[i][at % strlen(parts[i])];
		simple_name_add(name, SIZE, &out);
		cr_assert(out.len > 0 && out.len <= SIZE);
		cr_assert(simple_name_matches(name, SIZE, name, SIZE));
		simple_name_matches(name, SIZE, name + SIZE - 1, 1);
	}
	free(name);
}
