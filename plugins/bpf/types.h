/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's types, cut down to those that the programs read. */
#pragma once

#include <bpf/btf.h>
#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ctprof/plugin.h"

/* The kernel's own BTF. */
struct types {
	void *bytes; /* NULL: they could not be read */
	size_t len;
	bool is_map;
};

void types_open(const struct ctprof_host *host, struct types *ret);
void types_close(struct types *types);

/* The kernel function or tracepoint that a program is attached to. */
struct types_target {
	const char *section; /* of the program */
	const char *name;
	enum bpf_attach_type attach;
	unsigned kind; /* BTF_KIND_..., of the name */
	uint32_t id;
};

/*
 * libbpf searches all types of the kernel, 100 000 or more, once for each type that the programs
 * read, which takes longer than all other steps of loading them.  This makes a BTF of only those
 * types, known by their names in wanted (the programs' own BTF), with only the members named there.
 * Everything that libbpf compares is unchanged. bytes is the kernel's whole BTF.  Also sets the IDs
 * of the targets, by name and kind; 0: the kernel does not have the target. 0 or -errno; the caller
 * frees *ret with btf__free().
 */
int types_cut(const struct btf *wanted, const void *bytes, size_t len, struct types_target *targets,
	      size_t n_targets, struct btf **ret);
