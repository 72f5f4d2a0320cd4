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
#include "look.skel.h"
#pragma GCC diagnostic pop

struct sweep {
	struct look_bpf *skeleton;
	struct bpf_link *link;
};

static int load(struct sweep *sweep, const uint64_t *describe)
{
	sweep->skeleton = look_bpf__open();
	if (!sweep->skeleton)
		return -errno;
	for (size_t i = 0; describe && i < SWEEP_CALLS / 64; i++)
		sweep->skeleton->rodata->wants_descriptor[i] = describe[i];
	int r = look_bpf__load(sweep->skeleton);
	if (r < 0)
		return r;
	sweep->link = bpf_program__attach_iter(sweep->skeleton->progs.look, NULL);
	return sweep->link ? 0 : -errno;
}

int sweep_open(const uint64_t describe[SWEEP_CALLS / 64], struct sweep **ret)
{
	struct sweep *made = calloc(1, sizeof *made);

	if (!made)
		return -ENOMEM;
	/* libbpf's messages are for its developers; we report the errno. */
	libbpf_set_print(NULL);
	int r = load(made, describe);
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
