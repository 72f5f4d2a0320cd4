/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Tests keys that represent many names: patterns, cgroup keys, globs. */
#include <string.h>

#include "base/error.h"
#include "report/name/cgroupkey.h"
#include "report/name/glob.h"
#include "report/name/namekey.h"
#include "report/name/pattern.h"
#include "report/name/unit.h"

static const struct {
	const char *name, *pattern;
} patterns[] = {
	{"", ""},
	{"tokio-worker-12", "tokio-worker-{N}"},
	{"worker_5", "worker_{N}"},
	{"rayon.pool.7", "rayon.pool.{N}"},
	{"Chrome thread 4", "Chrome thread {N}"},
	{"pool-2-thread-7", "pool-{N}-thread-{N}"},
	{"0", "{N}"},
	{"worker-", "worker-"},
	{"cpu0", "cpu{N}"},
	{"init", "init"},
	{"gadget-v2", "gadget-v{N}"},
	{"t-1", "t-{N}"},
	{"ab_5", "ab_{N}"},
	{"ksoftirqd/99", "ksoftirqd/{N}"},
	{"abc", "abc"},
	{"deadbeef", "deadbeef"},
	{"kworker/0:0", "kworker/{N}:{N}"},
	{"kworker/u8:3", "kworker/u{N}:{N}"},
	{"kworker/47:2-wq_reclaim", "kworker/{N}:{N}-wq_reclaim"},
	{"kworker/0:1H", "kworker/{N}:{N}H"},
	{"kworker/0:1H-wq_prio", "kworker/{N}:{N}H-wq_prio"},
	{"kworker/0:1+events", "kworker/{N}:{N}+events"},
	{"kworker/0:1-events", "kworker/{N}:{N}-events"},
	{"session-a1234", "session-{H}"},
	{"proto303handler", "proto303handler"},
	{"1a", "{H}"},
	{"0f", "{H}"},
	{"42abc", "{H}"},
	{"7890ab", "{H}"},
	{"1a2", "{H}"},
	{"1aZ", "{N}aZ"},
	{"100Hz", "{N}Hz"},
	{"dev[1ab]", "dev[{H}]"},
	{"foo[bar]", "foo[bar]"},
	{"Grommet.Z999", "Grommet.Z{N}"},
	{"a..b", "a..b"},
	{"yy._650", "yy._{N}"},
	{"a-[1]", "a-[{N}]"},
	/* Unicode white space separates, other characters do not. */
	{"a\xc2\xa0"
	 "1",
	 "a\xc2\xa0{N}"},
	{"a\xc2\x85"
	 "1",
	 "a\xc2\x85{N}"},
	{"a\v1", "a\v{N}"},
	{"\xc3\xa4"
	 "1",
	 "\xc3\xa4"
	 "1"},
	/* Names are bytes: invalid UTF-8 is not a separator. */
	{"\xff"
	 "1",
	 "\xff"
	 "1"},
	{"w-\xe2\x80"
	 "7",
	 "w-\xe2\x80"
	 "7"},
	{"{N}-{H}", "{N}-{H}"},
};

static void test_patterns(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(patterns); i++) {
		g_autofree char *pattern = pattern_key(patterns[i].name);
		g_autofree char *again = pattern_key(pattern);

		g_assert_cmpstr(pattern, ==, patterns[i].pattern);
		g_assert_cmpstr(again, ==, pattern);
	}
}

static void test_pattern_pieces(void)
{
	static const char *const cases[][6] = {
		{"a..b", "a", "..", "b"},
		{"yy._650", "yy", "._", "650"},
		{"a-[1]", "a", "-[", "1", "]"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const char *at = cases[i][0];
		PatternPiece piece;
		gsize n = 1;

		for (; pattern_next(&at, &piece); n++) {
			g_autofree char *text = g_strndup(piece.text, piece.len);

			g_assert_cmpstr(text, ==, cases[i][n]);
			g_assert_cmpint(piece.separator, ==, n % 2 == 0);
		}
		g_assert_null(cases[i][n]);
	}
}

static void test_skeletons(void)
{
	static const struct {
		const char *path, *skeleton;
	} cases[] = {
		{"/", "/"},
		{"", ""},
		{"launcher@foo.bar.baz.service", "launcher@foo.bar.baz.service"},
		{"/user.slice/user-1001.slice/user@1001.service/boot.scope",
		 "/user.slice/user-{N}.slice/user@{I}.service/boot.scope"},
		{"/user.slice/user-1001.slice/session-a1234.scope",
		 "/user.slice/user-{N}.slice/session-{H}.scope"},
		{"/getty@tty1.service", "/getty@{I}.service"},
		{"/x@:0.service/y", "/x@{I}.service/y"},
		{"/x@.service", "/x@.service"},
		{"/x@a_b.service", "/x@a_b.service"},
		{"/x@1.socket", "/x@{N}.socket"},
		{"/x@y/z@1.service", "/x@y/z@{I}.service"},
		{"/@@7.service", "/@{I}.service"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *skeleton = cgroup_skeleton(cases[i].path);

		g_assert_cmpstr(skeleton, ==, cases[i].skeleton);
	}
}

/* Up to three paths, and the key of each. */
struct key_case {
	const char *globs[3];
	gboolean literal;
	const char *paths[4], *keys[4];
};

static void test_cgroup_keys(void)
{
	static const struct key_case cases[] = {
		/* A path without a peer keeps its name. */
		{{NULL}, FALSE, {"/a-1.slice"}, {"/a-1.slice"}},
		{{NULL}, FALSE, {"/user@0.service", "/b"}, {"/user@0.service", "/b"}},
		/* Parts common to all paths stay literal. */
		{{NULL},
		 FALSE,
		 {"/run-17.fluxcap9000_01.zz3", "/run-22.fluxcap9000_01.zz3"},
		 {"/run-{N}.fluxcap9000_01.zz3", "/run-{N}.fluxcap9000_01.zz3"}},
		{{NULL},
		 FALSE,
		 {"/run-17.fluxcap9000_01.zz3", "/run-22.fluxcap7_02.zz4"},
		 {"/run-{N}.fluxcap{N}_{N}.zz{N}", "/run-{N}.fluxcap{N}_{N}.zz{N}"}},
		{{NULL},
		 FALSE,
		 {"/user-1.slice/user@1.service", "/user-2.slice/user@2.service",
		  "/user-2.slice/user@3.service"},
		 {"/user-{N}.slice/user@{I}.service", "/user-{N}.slice/user@{I}.service",
		  "/user-{N}.slice/user@{I}.service"}},
		{{NULL},
		 FALSE,
		 {"/user-5.slice/user@1.service", "/user-5.slice/user@2.service"},
		 {"/user-5.slice/user@{I}.service", "/user-5.slice/user@{I}.service"}},
		/* The first matching glob wins; its result is not matched again. */
		{{"/kubepods/*/workload"},
		 FALSE,
		 {"/kubepods/pod-abc-123/workload", "/other"},
		 {"/kubepods/*/workload", "/other"}},
		{{"/kubepods/*/workload", "/kubepods/**"},
		 FALSE,
		 {"/kubepods/pod-1/workload", "/kubepods/pod-1/x"},
		 {"/kubepods/*/workload", "/kubepods/**"}},
		{{"/pod-1*"},
		 FALSE,
		 {"/pod-12", "/pod-13", "/pod-21"},
		 {"/pod-1*", "/pod-1*", "/pod-21"}},
		{{"/[ab]"}, FALSE, {"/a", "/b", "/c"}, {"/[ab]", "/[ab]", "/c"}},
		{{"/x-*"}, TRUE, {"/x-1", "/y-1", "/y-2"}, {"/x-*", "/y-1", "/y-2"}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct key_case *one = &cases[i];
		g_autoptr(CgroupKeys) keys =
			cgroup_keys_new((char *const *)(uintptr_t)one->globs, !one->literal);

		for (gsize p = 0; p < G_N_ELEMENTS(one->paths) && one->paths[p]; p++)
			cgroup_keys_add(keys, one->paths[p]);
		for (gsize p = 0; p < G_N_ELEMENTS(one->paths) && one->paths[p]; p++)
			g_assert_cmpstr(cgroup_keys_get(keys, one->paths[p]), ==, one->keys[p]);
	}
}

static void test_name_keys(void)
{
	static const struct {
		NameRule rule;
		const char *names[3], *keys[3];
	} cases[] = {
		{NAME_PEERS,
		 {"worker-1", "worker-2", "main"},
		 {"worker-{N}", "worker-{N}", "main"}},
		{NAME_PEERS, {"worker-1", "worker-1", "main"}, {"worker-1", "worker-1", "main"}},
		{NAME_PATTERN, {"worker-1", "x", "y"}, {"worker-{N}", "x", "y"}},
		{NAME_LITERAL, {"worker-1", "worker-2", "y"}, {"worker-1", "worker-2", "y"}},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(Store) store = store_new();
		g_autoptr(NameKeys) keys = name_keys_new(cases[i].rule, store);

		/* Only a rule that does not depend on other names returns the key at once. */
		for (gsize n = 0; n < 3; n++)
			g_assert_cmpstr(name_keys_take(keys, store_text(store, cases[i].names[n])),
					==,
					cases[i].rule == NAME_PATTERN ? cases[i].keys[n]
								      : cases[i].names[n]);
		for (gsize n = 0; n < 3; n++)
			name_keys_add(keys, store_text(store, cases[i].names[n]));
		for (gsize n = 0; n < 3; n++)
			g_assert_cmpstr(name_keys_get(keys, store_text(store, cases[i].names[n])),
					==, cases[i].keys[n]);
	}
}

static void test_globs(void)
{
	static const struct {
		const char *glob, *path;
		gboolean matches;
	} cases[] = {
		{"/a", "/a", TRUE},
		{"/a", "/a/b", FALSE},
		{"/a/b", "/a", FALSE},
		{"*", "a", TRUE},
		{"*", "a/b", FALSE},
		{"/*", "/a", TRUE},
		{"/*", "/a/b", FALSE},
		{"/*/c", "/a/b/c", FALSE},
		{"/a*c*e", "/abcde", TRUE},
		{"/a*c*e", "/abcdef", FALSE},
		{"/*b", "/ab/b", FALSE},
		{"/a?c", "/abc", TRUE},
		{"/a?c", "/a/c", FALSE},
		{"/a?c",
		 "/a\xc3\xa4"
		 "c",
		 TRUE},
		{"/[a-c]x", "/bx", TRUE},
		{"/[!a-c]x", "/bx", FALSE},
		{"/[!a-c]x", "/dx", TRUE},
		{"/[!a]x", "//x", FALSE},
		{"/[]]", "/]", TRUE},
		{"/[a-]", "/-", TRUE},
		{"/A", "/a", FALSE},
		{"/a/**", "/a/b", TRUE},
		{"/a/**", "/a/b/c", TRUE},
		{"/a/**", "/a", FALSE},
		{"/a/**/z", "/a/z", TRUE},
		{"/a/**/z", "/a/b/c/z", TRUE},
		{"/a/**/z", "/a/b/c/y", FALSE},
		{"/**/m/**/z", "/m/m/z/z", TRUE},
		{"/**/m/*/z", "/m/m/z/z", TRUE},
		{"/**/m/*/z", "/m/a/b/z", FALSE},
		{"**", "/a/b", TRUE},
		{"**/c", "/a/b/c", TRUE},
		{"/**", "/", TRUE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_test_message("%s on %s", cases[i].glob, cases[i].path);
		g_assert_true(glob_check(cases[i].glob, NULL));
		g_assert_cmpint(glob_match(cases[i].glob, cases[i].path), ==, cases[i].matches);
	}
}

static void test_bad_globs(void)
{
	static const char *const bad[] = {"",     "[invalid", "/[",     "/[]",     "/[!]",
					  "/a**", "/***",     "/**a/b", "/x/[a/b]"};
	static const char *const good[] = {"/ok/*", "/[ab]", "/**", "/[]]", "/a*b*", "/*"};

	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		g_autoptr(GError) error = NULL;

		g_assert_false(glob_check(bad[i], &error));
		g_assert_error(error, USAGE_ERROR, 0);
		g_assert_nonnull(strstr(error->message, bad[i]));
	}
	for (gsize i = 0; i < G_N_ELEMENTS(good); i++)
		g_assert_true(glob_check(good[i], NULL));
}

/* A '*' at every other letter does not take exponential time. */
static void test_glob_effort(void)
{
	g_autoptr(GString) glob = g_string_new("/");
	g_autoptr(GString) path = g_string_new("/");

	for (guint i = 0; i < 1000; i++) {
		g_string_append(glob, "*a");
		g_string_append(path, "aaaa");
	}
	g_string_append_c(path, 'b');
	g_assert_false(glob_match(glob->str, path->str));
}

#define ID "9a8b7c6d5e4f30219a8b7c6d5e4f30219a8b7c6d5e4f30219a8b7c6d5e4f3021"

static const struct {
	const char *path, *unit;
} units[] = {
	{"/", "-"},
	{"", "-"},
	{"/init.scope", "init"},
	{"/system.slice", "system.slice"},
	{"/user.slice/user-1000.slice", "user-1000.slice"},
	{"/system.slice/ssh.service", "ssh"},
	{"/system.slice/system-postgresql.slice/postgresql@15.service", "postgresql@15"},
	{"/system.slice/a.service/b.service", "a"},
	{"/system.slice/ssh.service/worker/3", "ssh"},
	{"/system.slice/docker.socket", "system.slice/docker.socket"},
	{"/system.slice/.service", "system.slice/.service"},
	{"/../system.slice/cron.service", "cron"},
	{"/system.slice/my\\x2dbackup.service", "my-backup"},
	{"/system.slice/a\\x20b\\x0ac\\x2.service", "a\\x20b\\x0ac\\x2"},
	{"/system.slice/run-r5c8f2a1be0d34e6f9a7b1c2d3e4f5a6b.scope", "run-r5c8f2a1b"},
	{"/user.slice/user-1000.slice/session-3.scope", "session-3"},
	{"/user.slice/user-1000.slice/user@1000.service/init.scope", "user@1000"},
	{"/user.slice/user-1000.slice/user@1000.service", "user@1000"},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/pipewire.service", "pipewire"},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-gnome-org.gnome.Terminal-4711.scope",
	 "org.gnome.Terminal"},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-org.kde.dolphin\\x2dold@1f.service",
	 "org.kde.dolphin-old"},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-.scope", "app-"},
	{"/user.slice/user-1000.slice/user@1000.service/app.slice/app-a-.scope", "a"},
	{"/user.slice/user-1000.slice/user@1000.service/tmux-spawn-1b4e28ba-2fa1-11d2-883f-0016d3cca427.scope",
	 "tmux-spawn-1b4e28ba"},
	{"/system.slice/docker-" ID ".scope", "docker 9a8b7c6d"},
	{"/docker/" ID, "docker 9a8b7c6d"},
	{"/docker/" ID "/system.slice/nginx.service", "docker 9a8b7c6d"},
	{"/machine.slice/libpod-" ID ".scope/container", "podman 9a8b7c6d"},
	{"/machine.slice/libpod-conmon-" ID ".scope", "podman 9a8b7c6d"},
	{"/system.slice/cri-containerd-" ID ".scope", "containerd 9a8b7c6d"},
	{"/ecs/0123456789abcdef0123456789abcdef/" ID, "ecs 01234567"},
	{"/" ID, "container 9a8b7c6d"},
	{"/system.slice/docker-9a8b.scope", "docker-9a8b"},
	{"/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod8f3c1e2a_71b4_4b1c_9d0e_aa11bb22cc33.slice/cri-containerd-" ID
	 ".scope",
	 "pod 8f3c1e2a"},
	{"/kubepods/besteffort/pod8f3c1e2a-71b4-4b1c-9d0e-aa11bb22cc33/" ID, "pod 8f3c1e2a"},
	{"/system.slice/containerd.service/kubepods-pod8f3c1e2a_71b4.slice:cri-containerd:" ID,
	 "pod 8f3c1e2a"},
	{"/docker/" ID
	 "/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod8f3c1e2a71b44b1c9d0eaa11bb22cc33.slice/x",
	 "pod 8f3c1e2a"},
	{"/podfeedbeefcafe", "podfeedbeefcafe"},
	{"/lxc/web/init.scope", "lxc web"},
	{"/lxc.payload.web/system.slice/nginx.service", "lxc web"},
	{"/lxc.monitor/web", "lxc web"},
	{"/lxc.payload", "lxc.payload"},
	{"/machine.slice/machine-qemu\\x2d1\\x2dvm.scope/emulator", "machine qemu-1-vm"},
	{"/machine.slice/machine-web.scope", "machine web"},
	{"/machine.slice/systemd-nspawn@web.service/payload/system.slice/a.service",
	 "systemd-nspawn@web"},
	{"/throttled/pool", "throttled/pool"},
};

static void test_units(void)
{
	for (gsize i = 0; i < G_N_ELEMENTS(units); i++) {
		g_autofree char *unit = unit_of_cgroup(units[i].path);

		g_test_message("%s", units[i].path);
		g_assert_cmpstr(unit, ==, units[i].unit);
	}
}

int main(int argc, char **argv)
{
	g_test_init(&argc, &argv, NULL);
	g_test_add_func("/names/patterns", test_patterns);
	g_test_add_func("/names/pattern-pieces", test_pattern_pieces);
	g_test_add_func("/names/skeletons", test_skeletons);
	g_test_add_func("/names/cgroup-keys", test_cgroup_keys);
	g_test_add_func("/names/name-keys", test_name_keys);
	g_test_add_func("/names/globs", test_globs);
	g_test_add_func("/names/bad-globs", test_bad_globs);
	g_test_add_func("/names/glob-effort", test_glob_effort);
	g_test_add_func("/names/units", test_units);
	return g_test_run();
}
