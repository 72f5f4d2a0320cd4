/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A BPF scheduler that leaves all decisions to the kernel's defaults. */
#include <linux/types.h>

#include <bpf/bpf_helpers.h>

/* libbpf finds the kernel's members by these names. */
struct sched_ext_ops {
	void (*running)(void *thread);
	char name[128];
};

char terms[] SEC("license") = "GPL";

/* Without a program, libbpf before 1.3 does not read the kernel's types. */
SEC("struct_ops/running")
int running(void *thread)
{
	(void)thread;
	return 0;
}

SEC(".struct_ops")
struct sched_ext_ops scheduler = {
	.running = (void *)running,
	.name = "ctprof_defaults",
};
