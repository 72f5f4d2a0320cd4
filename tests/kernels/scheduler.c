/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Loads the BPF scheduler in a file: the kernel has it as long as this process lives. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <stdio.h>
#include <unistd.h>

/* Since Linux 6.4; older headers lack them. */
#define BY_LINK (1u << 13)
#define STRUCT_OPS 44

int main(int n, char **arguments)
{
	struct bpf_object *object = n == 2 ? bpf_object__open_file(arguments[1], NULL) : NULL;
	struct bpf_map *map = object ? bpf_object__find_map_by_name(object, "scheduler") : NULL;

	if (!map || bpf_map__set_map_flags(map, BY_LINK) < 0 || bpf_object__load(object) < 0) {
		fprintf(stderr, "usage: scheduler FILE.bpf.o\n");
		return 2;
	}
	if (!bpf_map__attach_struct_ops(map)) {
		perror("attach");
		return 1;
	}
#if LIBBPF_MAJOR_VERSION == 1 && LIBBPF_MINOR_VERSION < 2
	/* It made no link, which is what registers the scheduler. */
	if (bpf_link_create(bpf_map__fd(map), 0, (enum bpf_attach_type)STRUCT_OPS, NULL) < 0) {
		perror("link");
		return 1;
	}
#endif
	pause();
	return 0;
}
