/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: core/base/root.c */
/* The one file that knows. */
static const char *const root_paths[] = {"/proc", "/sys", "/sys/fs/cgroup"};
