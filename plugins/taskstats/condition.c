/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "condition.h"

#include <errno.h>
#include <linux/taskstats.h>
#include <stdlib.h>
#include <sys/types.h>
#include <unistd.h>

#include "activity.h"
#include "decode.h"
#include "file.h"
#include "query.h"

/* The last row stands for every other error. */
static const struct {
	int err;
	int answer;
	struct taskstats_advice advice;
} failures[] = {
	{-EOPNOTSUPP, -EOPNOTSUPP, {"recorded root: no netlink", NULL}},
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
	 {"CONFIG_TASK_DELAY_ACCT is not set: all delays are absent",
	  "a kernel with CONFIG_TASK_DELAY_ACCT=y"}},
	{TASKSTATS_BLOCK,
	 TASKSTATS_BLOCK,
	 {"kernel.task_delayacct=0: all delays but cpu are absent",
	  "`sysctl kernel.task_delayacct=1`, counts only for threads started after; or boot "
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

static void query_drop(struct taskstats_query **query)
{
	if (*query && (*query)->netlink)
		netlink_close((*query)->netlink);
	free(*query);
}

static int ask_own(uint16_t family, struct taskstats_values *ret)
{
	__attribute__((cleanup(query_drop))) struct taskstats_query *query =
		calloc(1, sizeof *query);
	const int32_t tid = gettid();
	struct own own = {0};

	if (!query)
		return -ENOMEM;
	query->family = family;
	int r = netlink_open(&query->netlink);
	if (r < 0)
		return r;
	r = taskstats_query_run(query, &tid, 1, take_own, &own);
	if (r < 0)
		return r;
	if (own.err < 0)
		return own.err;
	*ret = own.values;
	return 0;
}

static ssize_t read_sysctl(const struct ctprof_host *host, char *buf, size_t size)
{
	int proc = host->root(host, CTPROF_ROOT_PROC);

	return proc < 0 ? proc : file_read_at(host, proc, "sys/kernel/task_delayacct", buf, size);
}

int taskstats_examine(const struct ctprof_host *host, uint16_t *ret_family, uint32_t *ret_active)
{
	struct taskstats_values own;
	uint16_t family;
	char text[32];

	if (!host->live(host))
		return -EOPNOTSUPP;
	int r = netlink_resolve(TASKSTATS_GENL_NAME, &family);
	if (r < 0)
		return r;
	r = ask_own(family, &own);
	if (r < 0)
		return r;
	ssize_t len = read_sysctl(host, text, sizeof text);
	*ret_family = family;
	*ret_active = len < 0 ? taskstats_parse_delayacct(NULL, 0, &own)
			      : taskstats_parse_delayacct(text, (size_t)len, &own);
	return 0;
}
