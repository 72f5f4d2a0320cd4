/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "slots.h"

#include "newer-host.h"

int slots_declare(const struct ctprof_host *host, const struct ctprof_metric *metrics, size_t n,
		  uint32_t *ret_slots)
{
	return slots_declare_rows(host, metrics, sizeof *metrics, n, ret_slots);
}

int slots_declare_rows(const struct ctprof_host *host, const void *rows, size_t size, size_t n,
		       uint32_t *ret_slots)
{
	for (size_t i = 0; i < n; i++) {
		const struct ctprof_metric *metric = (const void *)((const char *)rows + i * size);
		int result = host->metric(host, metric, &ret_slots[i]);

		if (result < 0) {
			host->error(host, "the host refused metric %s", metric->name);
			return result;
		}
	}
	return 0;
}

bool slots_wanted(const struct ctprof_host *host, const uint32_t *slots, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (host->wanted(host, slots[i]))
			return true;
	return false;
}

bool slots_filled(const struct ctprof_host *host, const struct ctprof_batch *batch, uint64_t row,
		  const uint32_t *slots, size_t n)
{
	if (!HOST_HAS(host, filled))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!host->filled(batch, row, slots[i]))
			return false;
	return true;
}

void slots_put_u64(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		   uint32_t slot, uint32_t why, uint64_t number)
{
	if (why == CTPROF_PRESENT)
		host->put_u64(batch, row, slot, number);
	else
		host->put_absent(batch, row, slot, why);
}

void slots_put_values(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		      const uint32_t *slots, const struct slots_value *values, size_t n)
{
	for (size_t i = 0; i < n; i++)
		slots_put_u64(host, batch, row, slots[i], values[i].why, values[i].number);
}

void slots_put_absent(const struct ctprof_host *host, struct ctprof_batch *batch, uint64_t row,
		      const uint32_t *slots, size_t n, uint32_t why)
{
	for (size_t i = 0; i < n; i++)
		host->put_absent(batch, row, slots[i], why);
}
