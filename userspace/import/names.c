/* SPDX-License-Identifier: Apache-2.0 */
#include "import/names.h"
#include "base/utf8.h"

int names_add(struct profile *p, const char *text, size_t len, profile_id *id)
{
	struct buffer valid OWNS(buffer) = { 0 };

	if (len > IMPORT_MAX_NAME)
		return -E2BIG;
	if (utf8_is_valid(text, len))
		return profile_add_string(p, text, len, id);
	utf8_repair(&valid, text, len);
	if (buffer_error(&valid))
		return -ENOMEM;
	return profile_add_string(p, valid.data, valid.len, id);
}

int names_add_frame(struct profile *p, const struct profile_function *function, uint32_t line,
		    profile_id *frame)
{
	struct profile_frame row = { .line = line };
	int err = profile_add_function(p, function, &row.function);

	return err ? err : profile_add_frame(p, &row, frame);
}
