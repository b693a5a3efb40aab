/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/frames.h"

struct frame_name frame_name_of(struct process *p, const struct sp_frame *f)
{
	const struct code_entry *e = p->codes ? code_table_find(p->codes, f->code, f->key) : NULL;

	if (!e)
		return (struct frame_name){ "[unknown]", "", 0, 0, PROFILE_UNKNOWN };
	return (struct frame_name){
		.function = e->name,
		.file = e->file,
		.line = code_entry_line(e, f->instr),
		.first_line = e->first_line,
		.kind = PROFILE_PYTHON,
	};
}

bool frame_name_of_end(uint32_t end, uint32_t frame_count, struct frame_name *out)
{
	*out = (struct frame_name){ .function = "[native]", .file = "", .kind = PROFILE_NATIVE };
	switch (end) {
	case SP_END_NO_THREAD:
		return true;
	case SP_END_DEPTH:
		out->function = "[truncated]";
		break;
	case SP_END_FAULT:
		out->function = "[unreadable]";
		break;
	case SP_END_STARTING:
		out->function = "[starting]";
		break;
	default:
		return frame_count == 0;
	}
	out->kind = PROFILE_UNKNOWN;
	return true;
}
