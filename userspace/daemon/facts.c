/* SPDX-License-Identifier: Apache-2.0 */
#include "daemon/facts.h"

#include "base/buffer.h"
#include "python/pylayout.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

void facts_add_process(struct facts *f, const struct process *p)
{
	char version[16];

	if (!p->has_interpreter)
		return;
	pylayout_version_text(&p->interpreter.layout, version);
	for (unsigned int i = 0; i < f->version_count && i < FACTS_VERSIONS; i++)
		if (!strcmp(f->versions[i], version))
			return;
	if (f->version_count < FACTS_VERSIONS)
		memcpy(f->versions[f->version_count], version, sizeof(version));
	f->version_count++;
}

static int add_text(struct profile *p, const struct buffer *text, profile_id *id)
{
	return buffer_error(text)
		       ? -ENOMEM
		       : profile_add_string(p, text->data ? text->data : "", text->len, id);
}

static int write_platform(struct profile *p)
{
	OWNS(buffer) struct buffer text = { 0 };
	struct utsname name;

	if (uname(&name))
		return -errno;
	buffer_print(&text, "%s-%s-%s", name.sysname, name.release, name.machine);
	return add_text(p, &text, &profile_about(p)->platform);
}

static int write_python(const struct facts *f, struct profile *p)
{
	OWNS(buffer) struct buffer text = { 0 };

	for (unsigned int i = 0; i < f->version_count && i < FACTS_VERSIONS; i++)
		buffer_print(&text, "%s%s", i ? ", " : "", f->versions[i]);
	if (f->version_count > FACTS_VERSIONS)
		buffer_add_text(&text, ", ...");
	return add_text(p, &text, &profile_about(p)->python);
}

static int write_rates(const struct facts *f, const struct rates *rates, struct profile *p)
{
	OWNS(buffer) struct buffer text = { 0 };
	unsigned int hz = rates_since(rates, f->start_ns, &text);

	profile_about(p)->interval_ns = 1000000000ull / (hz ? hz : f->hz ? f->hz : 1);
	return add_text(p, &text, &profile_about(p)->rates);
}

static int write_losses(const struct facts *f, struct profile *p)
{
	static const char *const names[] = {
#define X(name, label, help) [SP_LOST_##name] = label,
		SP_LOSSES(X)
#undef X
	};
	struct profile_about *about = profile_about(p);
	int err = 0;

	for (int i = 0; !err && i < SP_LOST_MAX; i++) {
		about->lost += f->lost[i];
		err = f->lost[i] ? profile_add_loss(p, names[i], f->lost[i]) : 0;
	}
	if (!err && f->refused)
		err = profile_add_loss(p, "profile_full", f->refused);
	about->lost += f->refused;
	about->taken = f->delivered + about->lost;
	return err;
}

int facts_write(const struct facts *f, const struct rates *rates, struct profile *p)
{
	struct profile_about *about = profile_about(p);
	int err;

	about->start_ns = f->start_ns + f->unix_minus_monotonic_ns;
	about->duration_ns = f->end_ns - f->start_ns;
	about->keeps_order = f->keeps_order;
	err = write_platform(p);
	if (!err)
		err = write_python(f, p);
	if (!err)
		err = write_rates(f, rates, p);
	return err ? err : write_losses(f, p);
}
