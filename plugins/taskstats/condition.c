/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "condition.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <sys/types.h>
#include <unistd.h>

#include "decode.h"
#include "file.h"
#include "query.h"
#include "text.h"

/* Linux 5.14 added the sysctl, at struct version 10, with the default "off".  Earlier kernels
 * always count, unless booted with nodelayacct: then they leave out the cpu delay as well. */
#define LAST_VERSION_WITHOUT_SYSCTL 10

/* The last row is for every other error. */
static const struct {
	int err;
	int answer;
	struct taskstats_advice advice;
} failures[] = {
	{-EOPNOTSUPP, -EOPNOTSUPP, {"recorded root: no netlink", NULL}},
	{-EXDEV, -EOPNOTSUPP, {FILE_FOREIGN_PIDS, FILE_FOREIGN_PIDS_REMEDY}},
	{-ENOENT, -EOPNOTSUPP, {"CONFIG_TASKSTATS is not set", "a kernel with CONFIG_TASKSTATS=y"}},
	{-EPERM,
	 -EPERM,
	 {"needs CAP_NET_ADMIN in the initial user namespace",
	  "run as root, or setcap cap_net_admin+ep"}},
	{-ETIMEDOUT, -ETIMEDOUT, {"the kernel does not answer requests for statistics", NULL}},
	{-EBADMSG, -EBADMSG, {"the kernel's struct taskstats is malformed or too old", NULL}},
	{0, -EIO, {"generic netlink cannot be used here", NULL}},
};

static const struct {
	uint32_t lacks; /* enum taskstats_active */
	uint32_t implies;
	struct taskstats_advice advice;
} lacks[] = {
	{TASKSTATS_CPU,
	 TASKSTATS_CPU | TASKSTATS_BLOCK,
	 {"CONFIG_TASK_DELAY_ACCT is not set, or nodelayacct is (before Linux 5.14): all delays "
	  "are absent",
	  "boot without nodelayacct, or a kernel with CONFIG_TASK_DELAY_ACCT=y"}},
	{TASKSTATS_BLOCK,
	 TASKSTATS_BLOCK,
	 {"kernel.task_delayacct=0: all delays but cpu are absent",
	  "`sysctl kernel.task_delayacct=1`, for threads started afterwards; or boot "
	  "with delayacct"}},
	{TASKSTATS_XACCT,
	 TASKSTATS_XACCT,
	 {"CONFIG_TASK_XACCT is not set: hiwater_rss_bytes and hiwater_vm_bytes are absent",
	  "a kernel with CONFIG_TASK_XACCT=y"}},
};

struct taskstats_advice taskstats_explain_failure(int err, int *ret_answer)
{
	size_t i = 0;

	while (failures[i].err != 0 && failures[i].err != err)
		i++;
	*ret_answer = failures[i].answer;
	return failures[i].advice;
}

struct taskstats_advice taskstats_explain_lack(uint32_t *lacking)
{
	size_t i = 0;

	while (i + 1 < sizeof lacks / sizeof lacks[0] && !(*lacking & lacks[i].lacks))
		i++;
	*lacking &= ~lacks[i].implies;
	return lacks[i].advice;
}

struct own {
	int err;
	struct taskstats_values values;
};

static void take_own(void *data, size_t i, int err, const uint8_t *stats, size_t len)
{
	struct own *own = data;

	(void)i;
	own->err = err ? -err : taskstats_decode(stats, len, &own->values);
}

static int ask_own(uint16_t family, struct taskstats_values *ret)
{
	struct taskstats_query query = {.family = family};
	const int32_t tid = gettid();
	struct own own = {0};
	int r = netlink_open(&query.netlink);

	if (r < 0)
		return r;
	r = taskstats_query_run(&query, &tid, 1, take_own, &own);
	netlink_close(query.netlink);
	if (r < 0 || own.err < 0)
		return r < 0 ? r : own.err;
	*ret = own.values;
	return 0;
}

uint32_t taskstats_parse_delayacct(const char *text, size_t len, const struct taskstats_values *own)
{
	struct text value = text_trim((struct text){text, text ? len : 0});
	uint32_t active = TASKSTATS_MEASURED;

	if (own->value[TASKSTATS_FIELD_HIWATER_VM] > 0)
		active |= TASKSTATS_XACCT;
	if (own->version >= TASKSTATS_VERSION_OF_TIMES)
		active |= TASKSTATS_TIMES;
	if (value.len > 0) {
		active |= TASKSTATS_CPU;
		if (text_equal(value, "1"))
			active |= TASKSTATS_BLOCK;
	} else if (own->value[TASKSTATS_FIELD_CPU_COUNT] > 0) {
		active |= TASKSTATS_CPU;
		if (own->version <= LAST_VERSION_WITHOUT_SYSCTL)
			active |= TASKSTATS_BLOCK;
	}
	return active;
}

int taskstats_examine(const struct ctprof_host *host, uint16_t *ret_family, uint32_t *ret_active)
{
	struct taskstats_values own;
	uint16_t family;
	char text[32];

	if (!host->live(host))
		return -EOPNOTSUPP;
	if (!file_shows_own_pids(host))
		return -EXDEV;
	int r = netlink_resolve(TASKSTATS_GENL_NAME, &family);
	if (r < 0)
		return r;
	r = ask_own(family, &own);
	if (r < 0)
		return r;
	ssize_t len = file_read_root(host, CTPROF_ROOT_PROC, "sys/kernel/task_delayacct", text,
				     sizeof text);
	*ret_family = family;
	*ret_active = taskstats_parse_delayacct(text, len > 0 ? (size_t)len : 0, &own);
	return 0;
}
