/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include "cleanup.h"
#include "looks.h"

/* The skeleton is bpftool's code, not ours. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wsign-conversion"
#pragma GCC diagnostic ignored "-Wcast-qual"
#include "iterator.h"
#include "kernel-types.h"
#include "look.skel.h"
#pragma GCC diagnostic pop

struct sweep {
	struct look_bpf *skeleton;
	struct bpf_link *link;
};

struct loading {
	struct sweep *sweep;
	const uint64_t *describe;
};

static int open_program(void *data, const struct bpf_object_open_opts *options,
			struct bpf_object **ret)
{
	struct sweep *sweep = ((struct loading *)data)->sweep;

	look_bpf__destroy(sweep->skeleton);
	sweep->skeleton = look_bpf__open_opts(options);
	if (!sweep->skeleton)
		return -errno;
	*ret = sweep->skeleton->obj;
	return 0;
}

static int load_program(void *data)
{
	const struct loading *loading = data;
	struct look_bpf *skeleton = loading->sweep->skeleton;

	for (size_t i = 0; loading->describe && i < SWEEP_CALLS / 64; i++)
		skeleton->rodata->wants_descriptor[i] = loading->describe[i];
	return look_bpf__load(skeleton);
}

static int load(const struct ctprof_host *host, struct loading *loading)
{
	struct types_target target = {"iter/task", "bpf_iter_task", BPF_TRACE_ITER, BTF_KIND_FUNC,
				      0};
	const struct types_user user = {open_program, load_program, loading, &target, 1};
	struct sweep *sweep = loading->sweep;
	struct types types;

	types_open(host, &types);
	int r = types_load(&user, types.bytes, types.len);
	if (r < 0 && types.bytes)
		r = types_load(&user, NULL, 0);
	types_close(&types);
	if (r < 0)
		return r;
	sweep->link = bpf_program__attach_iter(sweep->skeleton->progs.look, NULL);
	return sweep->link ? 0 : -errno;
}

int sweep_open(const struct ctprof_host *host, const uint64_t describe[SWEEP_CALLS / 64],
	       struct sweep **ret)
{
	struct sweep *made = calloc(1, sizeof *made);
	struct loading loading = {made, describe};

	if (!made)
		return -ENOMEM;
	/* libbpf's messages are for its developers; we report the errno. */
	libbpf_set_print(NULL);
	int r = load(host, &loading);
	if (r < 0)
		sweep_free(made);
	else
		*ret = made;
	return r;
}

void sweep_free(struct sweep *sweep)
{
	if (!sweep)
		return;
	bpf_link__destroy(sweep->link);
	look_bpf__destroy(sweep->skeleton);
	free(sweep);
}

int looks_read_sweep(struct sweep *sweep, struct looks *looks)
{
	const size_t size = sizeof looks->at[0];
	/* Before Linux 5.19 this may need CAP_BPF, which is no longer held. */
	AUTO_FD fd = bpf_iter_create(bpf_link__fd(sweep->link));

	if (fd < 0)
		return -errno;
	size_t room = looks->room * size, used;
	int r = iterator_read(fd, &looks->at, &room, LOOKS_MOST * size, &used);
	looks->room = room / size;
	looks->n = used / size;
	looks_sort(looks);
	return r;
}
