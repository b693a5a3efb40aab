/* SPDX-License-Identifier: Apache-2.0 */
#include "import/object_kernel.h"

#include "base/utf8.h"
#include "import/object_file.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>

#define NOTES_MOST 65536
#define KALLSYMS_MOST (256u << 20) /* bytes; a kernel with all its modules has some 15 MB */

void kernel_reference_set(struct kernel_reference *r, const char *symbol, uint64_t address)
{
	r->address = address;
	r->symbol[0] = '\0';
	if (strlen(symbol) < sizeof(r->symbol))
		strcpy(r->symbol, symbol);
}

void kernel_reference_set_release(struct kernel_reference *r, const char *release)
{
	r->release[0] = '\0';
	if (strlen(release) < sizeof(r->release))
		strcpy(r->release, release);
}

static bool is_release(const char *release)
{
	struct utsname ours;

	return !uname(&ours) && !strcmp(ours.release, release);
}

static bool is_running(const struct build_id *build_id)
{
	OWNS_MEM char *notes = NULL;
	ssize_t len = object_file_read_all("/sys/kernel/notes", NOTES_MOST, &notes);
	struct build_id ours;

	return len >= 0 && kernel_build_id(notes, len, &ours) && build_id_is(&ours, build_id);
}

int object_kernel_open(struct object_kernel *k, const struct build_id *build_id,
		       const struct kernel_reference *reference)
{
	OWNS_MEM char *text = NULL;
	uint64_t here;
	ssize_t len;
	int err;

	if (build_id->len && !is_running(build_id))
		return -ESTALE;
	if (!build_id->len && !is_release(reference->release))
		return -ENODATA;
	len = object_file_read_all("/proc/kallsyms", KALLSYMS_MOST, &text);
	if (len < 0)
		return len;
	k->symbols = kallsyms_new(text, len, &err);
	if (!k->symbols)
		return err;
	here = kallsyms_reference(k->symbols, reference->symbol);
	if (!build_id->len && (!here || here != reference->address)) {
		object_kernel_fini(k);
		return -ENODATA;
	}
	if (here && reference->address)
		k->shift = here - reference->address;
	return 0;
}

void object_kernel_fini(struct object_kernel *k)
{
	kallsyms_free(k->symbols);
	*k = (struct object_kernel){ 0 };
}

/* Of another boot, modules are anywhere. */
const char *object_kernel_name(const struct object_kernel *k, uint64_t address)
{
	const char *name;
	bool is_module;

	if (!k->symbols)
		return NULL;
	name = kallsyms_find(k->symbols, address + k->shift, &is_module);
	if (!name || (is_module && k->shift) || !utf8_is_valid(name, strlen(name)))
		return NULL;
	return name;
}

void object_kernel_warn(int err, struct buffer *out)
{
	switch (err) {
	case 0:
		return;
	case -ENODATA:
		buffer_add_text(out, "kernel: of which build it was is not recorded");
		break;
	case -ESTALE:
		buffer_add_text(out, "kernel: another build than this machine's was recorded");
		break;
	case -EACCES:
		buffer_add_text(out, "kernel: it shows its addresses to root only "
				     "(kernel.kptr_restrict)");
		break;
	default:
		buffer_print(out, "kernel: /proc/kallsyms: %s", strerror(-err));
	}
	buffer_add_text(out, "; its functions have no names\n");
}
