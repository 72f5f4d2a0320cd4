/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "unit.h"

#include <string.h>

#define HEX_DIGITS "0123456789abcdefABCDEF"
#define SHORT_ID 8 /* digits of an ID that are kept, like docker ps and kubectl */
#define LONG_ID 32 /* minimum digits of an ID: UUIDs have 32, containers 64 */

/* The prefixes of container cgroups that differ from the name of the runtime. */
static const struct {
	const char *prefix, *word;
} runtimes[] = {
	{"cri-containerd", "containerd"}, {"nerdctl", "containerd"}, {"libpod", "podman"},
	{"libpod-conmon", "podman"},      {"crio-conmon", "crio"},
};

static const char *const unit_suffixes[] = {".service", ".scope"};

/* systemd escapes characters that a unit's name cannot hold as \xNN;
 * unprintable ones stay escaped. */
static void append_unescaped(GString *out, const char *text, gsize len)
{
	for (gsize i = 0; i < len; i++) {
		int high = -1, low = -1;

		if (len - i >= 4 && text[i] == '\\' && text[i + 1] == 'x') {
			high = g_ascii_xdigit_value(text[i + 2]);
			low = g_ascii_xdigit_value(text[i + 3]);
		}
		if (high >= 0 && low >= 0 && g_ascii_isgraph(high * 16 + low)) {
			g_string_append_c(out, (char)(high * 16 + low));
			i += 3;
		} else {
			g_string_append_c(out, text[i]);
		}
	}
}

/* Returns the length of the ID at text, which may be a dashed UUID; 0: there is no ID. */
static gsize id_length(const char *text)
{
	static const guint8 uuid[] = {8, 4, 4, 4, 12};
	gsize digits = strspn(text, HEX_DIGITS), len = 0;

	if (digits >= LONG_ID)
		return digits;
	for (gsize i = 0; i < G_N_ELEMENTS(uuid); i++) {
		if (strspn(text + len, HEX_DIGITS) != uuid[i] ||
		    (i + 1 < G_N_ELEMENTS(uuid) && text[len + uuid[i]] != '-'))
			return 0;
		len += uuid[i] + 1;
	}
	return len - 1;
}

/* Appends a name with shortened IDs and without escapes. */
static void append_name(GString *out, const char *text, gsize len)
{
	gsize from = 0;

	for (gsize i = 0; i < len; i++) {
		gsize id = id_length(text + i);

		if (id == 0 || i + id > len)
			continue;
		append_unescaped(out, text + from, i + SHORT_ID - from);
		i += id - 1;
		from = i + 1;
	}
	append_unescaped(out, text + from, len - from);
}

static char *name_id(const char *word, gsize len, const char *id)
{
	for (gsize i = 0; i < G_N_ELEMENTS(runtimes); i++)
		if (strlen(runtimes[i].prefix) == len && !memcmp(runtimes[i].prefix, word, len))
			return g_strdup_printf("%s %.*s", runtimes[i].word, SHORT_ID, id);
	return g_strdup_printf("%.*s %.*s", (int)len, word, SHORT_ID, id);
}

/* "pod<uid>" or "kubepods-burstable-pod<uid>.slice"; in the latter the UID's dashes are
 * underscores.  The UID of a static pod has no dashes. */
static char *name_pod(const char *component)
{
	for (const char *at = component; (at = strstr(at, "pod")); at++)
		if ((at == component || at[-1] == '-') && strspn(at + 3, HEX_DIGITS) >= SHORT_ID)
			return name_id("pod", 3, at + 3);
	return NULL;
}

/* "docker-<id>.scope", or "<id>" in a cgroup named after the runtime. */
static char *name_container(const char *component, const char *parent)
{
	gsize len = strlen(component) - (g_str_has_suffix(component, ".scope") ? 6 : 0);
	gsize id = 0;

	while (id < len && g_ascii_isxdigit(component[len - 1 - id]))
		id++;
	const char *digits = component + len - id;
	if (id < LONG_ID)
		return NULL;
	if (digits == component)
		return parent ? name_id(parent, strlen(parent), digits)
			      : name_id("container", 9, digits);
	if (digits[-1] != '-' || digits - component < 2)
		return NULL;
	return name_id(component, (gsize)(digits - component) - 1, digits);
}

/* "lxc/web", "lxc.payload/web", "lxc.payload.web". */
static char *name_lxc(const char *component, const char *parent)
{
	static const char *const roots[] = {"lxc", "lxc.payload", "lxc.monitor"};

	for (gsize i = 0; i < G_N_ELEMENTS(roots); i++) {
		gsize len = strlen(roots[i]);

		if (parent && !strcmp(parent, roots[i]))
			return g_strdup_printf("lxc %s", component);
		if (i > 0 && !strncmp(component, roots[i], len) && component[len] == '.' &&
		    component[len + 1])
			return g_strdup_printf("lxc %s", component + len + 1);
	}
	return NULL;
}

/* Reduces the name of an application's unit to the ID: app[-LAUNCHER]-ID-RANDOM.scope or
 * app[-LAUNCHER]-ID[@RANDOM].service (the convention of desktop environments). */
static void cut_application(const char **name, gsize *len, gboolean is_scope)
{
	const char *start = *name + 4, *end = *name + *len, *at;

	if (is_scope && (at = g_strrstr_len(start, end - start, "-")))
		end = at;
	else if (!is_scope && (at = memchr(start, '@', (gsize)(end - start))))
		end = at;
	if ((at = g_strrstr_len(start, end - start, "-")))
		start = at + 1;
	if (end > start) {
		*name = start;
		*len = (gsize)(end - start);
	}
}

/* Returns the name of a service or a scope, without the suffix. */
static char *name_service(const char *component)
{
	for (gsize i = 0; i < G_N_ELEMENTS(unit_suffixes); i++) {
		const char *name = component;
		gsize len = strlen(component);

		if (!g_str_has_suffix(component, unit_suffixes[i]) ||
		    len == strlen(unit_suffixes[i]))
			continue;
		len -= strlen(unit_suffixes[i]);
		g_autoptr(GString) out = g_string_new(NULL);
		if (g_str_has_prefix(component, "app-") && len > 4) {
			cut_application(&name, &len, i == 1);
		} else if (g_str_has_prefix(component, "machine-") && len > 8) {
			g_string_append(out, "machine ");
			name += 8;
			len -= 8;
		}
		append_name(out, name, len);
		return g_string_free(g_steal_pointer(&out), FALSE);
	}
	return NULL;
}

/* A user manager runs units of its own, so the next unit decides; a unit below any other service
 * belongs to that service (or its container). */
static char *name_unit(char *const *components)
{
	char *found = NULL;

	for (; *components; components++) {
		gboolean is_manager = g_str_has_prefix(*components, "user@");
		char *name = name_service(*components);

		if (!name || (found && !strcmp(*components, "init.scope"))) {
			g_free(name);
			continue;
		}
		g_free(found);
		found = name;
		if (!is_manager)
			break;
	}
	return found;
}

/* The first component that names a container decides; for pods, which may run in a container, the
 * last one. */
static char *name_contained(char *const *components, gboolean has_pods)
{
	char *pod = NULL;
	const char *parent = NULL;

	for (char *const *at = components; has_pods && *at; at++) {
		char *name = name_pod(*at);

		if (name) {
			g_free(pod);
			pod = name;
		}
	}
	for (char *const *at = components; !pod && *at; parent = *at++)
		if (!(pod = name_container(*at, parent)))
			pod = name_lxc(*at, parent);
	return pod;
}

char *unit_of_cgroup(const char *path)
{
	g_auto(GStrv) components = NULL;
	char *name;

	path += strspn(path, "/");
	if (!*path)
		return g_strdup("-");
	components = g_strsplit(path, "/", -1);
	if ((name = name_contained(components, strstr(path, "kubepods") != NULL)) ||
	    (name = name_unit(components)))
		return name;
	const char *last = components[g_strv_length(components) - 1];
	return g_strdup(g_str_has_suffix(last, ".slice") ? last : path);
}
