/* SPDX-License-Identifier: Apache-2.0 */
#include "calltree/resource.h"

#include <string.h>

#define LIB "lib/python"

/* Behind "pythonN.N/" at @at, or NULL; "python3/" alone holds no packages itself. */
static const char *behind_version(const char *at)
{
	size_t major = strspn(at, "0123456789");
	size_t minor = at[major] == '.' ? strspn(at + major + 1, "0123456789") : 0;

	if (!major || !minor || at[major + 1 + minor] != '/')
		return NULL;
	return at + major + 1 + minor + 1;
}

static const char *behind(const char *at, const char *name)
{
	size_t len = strlen(name);

	return strncmp(at, name, len) ? NULL : at + len;
}

/* Where packages begin, if a folder that holds them begins at @at. */
static const char *packages_at(const char *at)
{
	const char *found = behind(at, "site-packages/");

	if (!found)
		found = behind(at, "dist-packages/");
	if (!found) {
		found = behind(at, LIB);
		found = found ? behind_version(found) : NULL;
	}
	return found;
}

const char *resource_of(const char *file, enum profile_kind kind, size_t *len)
{
	const char *packages = NULL;

	*len = strlen(file);
	if (kind != PROFILE_PYTHON)
		return file;
	for (const char *at = file; at; at = strchr(at, '/')) {
		const char *found;

		at += *at == '/';
		found = packages_at(at);
		packages = found ? found : packages;
	}
	if (!packages || !*packages)
		return file;
	*len = strcspn(packages, "/");
	if (*len > 3 && !packages[*len] && !strcmp(packages + *len - 3, ".py"))
		*len -= 3;
	return packages;
}
