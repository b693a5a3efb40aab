/* SPDX-License-Identifier: Apache-2.0 */
#include "export/pprof_writer.h"

#include <string.h>

static void append(ProtobufCBuffer *base, size_t len, const uint8_t *data)
{
	struct pprof_writer *w = (struct pprof_writer *)base;

	gzip_sink_add(&w->sink, data, len);
}

int pprof_writer_init(struct pprof_writer *w, const struct profile *p, struct buffer *out)
{
	uint32_t count = profile_string_count(p);
	int err;

	*w = (struct pprof_writer){ .base.append = append, .profile = p };
	err = gzip_sink_init(&w->sink, out);
	if (err)
		return err;
	for (profile_id id = 0; id < count; id++)
		pprof_put_string(w, profile_string(p, id), profile_string_len(p, id));
	return 0;
}

void pprof_writer_fini(struct pprof_writer *w)
{
	gzip_sink_fini(&w->sink);
}

void pprof_put(struct pprof_writer *w, const pb_profile *part)
{
	perftools__profiles__profile__pack_to_buffer(part, &w->base);
}

int64_t pprof_put_string(struct pprof_writer *w, const char *text, size_t len)
{
	ProtobufCBinaryData string = { .len = len, .data = (uint8_t *)text };
	pb_profile part = PB_PROFILE_INIT;

	part.n_string_table = 1;
	part.string_table = &string;
	pprof_put(w, &part);
	return w->next_string++;
}

int64_t pprof_put_text(struct pprof_writer *w, const char *text)
{
	return pprof_put_string(w, text, strlen(text));
}

int pprof_writer_finish(struct pprof_writer *w)
{
	return gzip_sink_finish(&w->sink);
}
