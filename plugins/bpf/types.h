/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's types, cut down to what the programs read of them. */
#pragma once

#include <bpf/btf.h>
#include <stdbool.h>
#include <stddef.h>

#include "ctprof/plugin.h"

/* The kernel's own BTF. */
struct types {
	void *bytes; /* NULL: it could not be read */
	size_t len;
	bool is_map;
};

void types_open(const struct ctprof_host *host, struct types *ret);
void types_close(struct types *types);

/*
 * libbpf goes through all types of the kernel, 100 000 or more, once for each type that the
 * programs read: that takes longer than all the rest of loading them.  This makes a BTF of
 * those types alone (known by their names in wanted, which is the programs' own BTF), and of
 * their members of which wanted knows the names; all that libbpf compares is as it was.
 * bytes is the kernel's whole BTF.  0 or -errno; *ret is the caller's, for btf__free().
 */
int types_cut(const struct btf *wanted, const void *bytes, size_t len, struct btf **ret);
