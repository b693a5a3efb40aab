/* SPDX-License-Identifier: Apache-2.0 */
/* The assembler takes the files in as they are; the Makefile knows that we depend on them. */
#include "export/html_files.h"

#define FILE_OF(name, path)                                                        \
	extern const char name##_start[], name##_end[];                            \
	__asm__(".pushsection .rodata\n" #name                                     \
		"_start: .incbin \"userspace/export/flamegraph/" path "\"\n" #name \
		"_end: .byte 0\n"                                                  \
		".popsection")

#define FILE_FROM(name) ((struct html_file){ name##_start, (size_t)(name##_end - name##_start) })

FILE_OF(page, "page.html");
FILE_OF(style, "style.css");
FILE_OF(profile, "profile.js");
FILE_OF(boxes, "boxes.js");
FILE_OF(inverted, "inverted.js");
FILE_OF(timeline, "timeline.js");
FILE_OF(text, "text.js");
FILE_OF(canvas, "canvas.js");
FILE_OF(table, "table.js");
FILE_OF(view, "view.js");
FILE_OF(keys, "keys.js");
FILE_OF(main, "main.js");

struct html_file html_page(void)
{
	return FILE_FROM(page);
}

struct html_file html_style(void)
{
	return FILE_FROM(style);
}

struct html_file html_script(unsigned int i)
{
	const struct html_file scripts[] = {
		FILE_FROM(text),     FILE_FROM(profile), FILE_FROM(boxes), FILE_FROM(inverted),
		FILE_FROM(timeline), FILE_FROM(canvas),	 FILE_FROM(table), FILE_FROM(view),
		FILE_FROM(keys),     FILE_FROM(main),
	};

	return i < sizeof(scripts) / sizeof(*scripts) ? scripts[i] : (struct html_file){ 0 };
}
