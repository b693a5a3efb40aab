/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/stack_json.h"

#include "base/buffer.h"
#include "base/utf8.h"
#include "daemon/frames.h"

const char *stack_json_state(char state)
{
	switch (state) {
	case 'R':
		return "running";
	case 'S':
	case 'I':
		return "sleeping";
	case 'D':
		return "waiting";
	case 'T':
	case 't':
		return "stopped";
	default:
		return "ended";
	}
}

json_t *stack_json_text(const char *text, size_t len)
{
	__attribute__((cleanup(buffer_cleanup))) struct buffer valid = { 0 };

	utf8_repair(&valid, text, len);
	return json_stringn(valid.data ? valid.data : "", valid.len);
}

static json_t *json_frame(const struct frame_name *name)
{
	return json_pack("{ss ss si si ss}", "function", name->function, "file", name->file, "line",
			 name->line, "first_line", name->first_line, "kind",
			 profile_kind_name(name->kind));
}

json_t *stack_json_frames(struct process *p, const struct outside_stack *stack)
{
	json_t *frames = json_array();
	struct frame_name name;

	for (uint32_t i = 0; i < stack->frame_count; i++) {
		name = frame_name_of(p, &stack->frames[i]);
		json_array_append_new(frames, json_frame(&name));
	}
	if (frame_name_of_end(stack->end, stack->frame_count, &name))
		json_array_append_new(frames, json_frame(&name));
	return frames;
}
