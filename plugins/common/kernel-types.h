/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The kernel's types, cut down to those that the programs read. */
#pragma once

#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
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

/* The programs of a source. */
struct types_user {
	/* Opens the object with these options. */
	int (*open)(void *data, const struct bpf_object_open_opts *options,
		    struct bpf_object **ret);
	int (*load)(void *data);
	void *data;
	struct types_target *targets;
	size_t n_targets; /* 1 to TYPES_TARGETS */
};

#define TYPES_TARGETS 8

/* Opens and loads the programs; bytes: gives libbpf the types it needs, so that it does not look
 * for them itself; NULL: it does. 0 or -errno. */
int types_load(const struct types_user *user, const void *bytes, size_t len);
