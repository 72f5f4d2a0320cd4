/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads pressure stall information of the whole host. */
#include <errno.h>
#include <sys/types.h>

#include "ctprof/plugin.h"
#include "ctprof/source.h"
#include "descriptor.h"
#include "file.h"
#include "instance.h"
#include "need.h"
#include "psi-metrics.h"
#include "slots.h"

#define GROUP "psi"
#define OFF "pressure stall information is off"
#define IRQ_OFF "pressure/irq cannot be read: the kernel does not account interrupt time"
#define IRQ_REMEDY "use a kernel (6.1 or later) built with CONFIG_IRQ_TIME_ACCOUNTING"

static const struct ctprof_metric metrics[PSI_N_METRICS] = {PSI_METRICS(HOST, GROUP)};

/* The files below the proc root, in the order of the metrics. */
static const char *const files[PSI_RESOURCES] = {
	"pressure/cpu",
	"pressure/memory",
	"pressure/io",
	"pressure/irq",
};

struct psi {
	const struct ctprof_host *host;
	uint32_t slots[PSI_N_METRICS];
};

static int psi_open(const struct ctprof_host *host, void **ret_self)
{
	struct psi *psi = instance_new(host, sizeof *psi);

	if (!psi)
		return -ENOMEM;
	psi->host = host;
	return instance_give(psi, slots_declare(host, metrics, PSI_N_METRICS, psi->slots),
			     ret_self);
}

/* Returns the bytes read, or -errno; some of these files can be opened but not read. */
static ssize_t read_resource(const struct psi *psi, size_t resource, char *buf, size_t size)
{
	return file_read_root(psi->host, CTPROF_ROOT_PROC, files[resource], buf, size);
}

/* Whether pressure/cpu has a line "full". */
static bool has_cpu_full(const char *text, ssize_t len)
{
	struct slots_value values[PSI_VALUES];

	psi_parse_pressure(text, (size_t)len, values);
	return values[PSI_VALUES - 1].why != CTPROF_ABSENT_UNSUPPORTED;
}

static void judge(const struct psi *psi, struct ctprof_finding *ret)
{
	char buf[512];
	ssize_t got = read_resource(psi, 0, buf, sizeof buf);
	bool partial = got < 0 && file_proc_is_partial(psi->host);

	if (got < 0)
		finding_set(ret, CTPROF_FAILS, partial ? FILE_PROC_PARTIAL : OFF,
			    partial ? FILE_PROC_WHOLE : PSI_OFF_REMEDY);
	else if (!has_cpu_full(buf, got))
		finding_set(ret, CTPROF_PARTLY, PSI_NO_CPU_FULL, PSI_NO_CPU_FULL_REMEDY);
	else if (read_resource(psi, PSI_RESOURCES - 1, buf, sizeof buf) < 0)
		finding_set(ret, CTPROF_PARTLY, IRQ_OFF, IRQ_REMEDY);
}

static int psi_probe(void *self)
{
	const struct psi *psi = self;
	struct ctprof_finding finding = FINDING_WORKS(GROUP);

	judge(psi, &finding);
	psi->host->finding(psi->host, &finding);
	return 0;
}

static int psi_start(void *self)
{
	const struct psi *psi = self;
	char buf[512];
	bool denied = false;

	for (size_t i = 0; i < PSI_RESOURCES; i++) {
		ssize_t got = read_resource(psi, i, buf, sizeof buf);

		if (got >= 0)
			return 0;
		denied = denied || file_absence((int)-got) == CTPROF_ABSENT_DENIED;
	}
	psi->host->error(psi->host, "%s",
			 denied                            ? "the pressure files cannot be read"
			 : file_proc_is_partial(psi->host) ? FILE_PROC_PARTIAL
							   : OFF ": " PSI_OFF_REMEDY);
	return denied ? -EACCES : -EOPNOTSUPP;
}

static void collect_resource(const struct psi *psi, struct ctprof_batch *batch, size_t resource)
{
	const struct ctprof_host *host = psi->host;
	const uint32_t *slots = &psi->slots[resource * PSI_VALUES];
	struct slots_value values[PSI_VALUES];
	char buf[512];

	if (!slots_wanted(host, slots, PSI_VALUES))
		return;
	ssize_t got = read_resource(psi, resource, buf, sizeof buf);
	if (got < 0) {
		slots_put_absent(host, batch, 0, slots, PSI_VALUES, file_absence((int)-got));
		return;
	}
	psi_parse_pressure(buf, (size_t)got, values);
	slots_put_values(host, batch, 0, slots, values, PSI_VALUES);
}

static int psi_collect(void *self, void *context, struct ctprof_batch *batch)
{
	(void)context;
	for (size_t i = 0; i < PSI_RESOURCES; i++)
		collect_resource(self, batch, i);
	return 0;
}

static const struct ctprof_need needs[] = {
	NEED_ALWAYS(KCONFIG, "CONFIG_PSI", "pressure; with CONFIG_PSI_DEFAULT_DISABLED boot psi=1"),
	NEED_PARTLY(KCONFIG, "CONFIG_IRQ_TIME_ACCOUNTING", "psi.irq.full"),
	NEED_PARTLY(FILE, "proc/pressure/cpu", "psi.cpu"),
	NEED_PARTLY(FILE, "proc/pressure/memory", "psi.memory"),
	NEED_PARTLY(FILE, "proc/pressure/io", "psi.io"),
	NEED_PARTLY(FILE, "proc/pressure/irq", "psi.irq"),
};

SOURCE_PLUGIN("psi", SERIAL, CHEAP, "pressure stall information of the host",
	      SOURCE_OPS(.open = psi_open, .close = instance_free, .probe = psi_probe,
			 .start = psi_start, .collect = psi_collect))
