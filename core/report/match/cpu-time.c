/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "cpu-time.h"

CpuSlots cpu_slots_of(const Layout *layout)
{
	CpuSlots slots;

	for (guint i = 0; i < N_CPU_METRICS; i++)
		slots.of[i] = layout_slot(layout, cpu_metrics[i]);
	return slots;
}

gboolean cpu_time_read(const RosterRow *row, gint slot, guint64 unit, guint64 *ret_ns)
{
	gboolean is_there = rows_read(&row->rows, 0, slot, ret_ns);

	*ret_ns = is_there ? fold_multiply_saturated(*ret_ns, unit) : 0;
	return is_there;
}

gboolean cpu_time_of(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time)
{
	gboolean has_user = cpu_time_read(row, slots->of[CPU_USER], CPU_TICK_NS, &ret_time->user);
	gboolean has_system =
		cpu_time_read(row, slots->of[CPU_SYSTEM], CPU_TICK_NS, &ret_time->system);

	if (cpu_time_read(row, slots->of[CPU_RUN], 1, &ret_time->run))
		return TRUE;
	ret_time->run = fold_add_saturated(ret_time->user, ret_time->system);
	return has_user && has_system;
}

gboolean cpu_time_of_children(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time)
{
	return cpu_time_read(row, slots->of[CPU_CHILDREN_USER], CPU_TICK_NS, &ret_time->user) &&
	       cpu_time_read(row, slots->of[CPU_CHILDREN_SYSTEM], CPU_TICK_NS, &ret_time->system);
}

gboolean cpu_time_of_process(const CpuSlots *slots, const RosterRow *row, CpuTime *ret_time)
{
	return cpu_time_read(row, slots->of[CPU_PROCESS_USER], CPU_TICK_NS, &ret_time->user) &&
	       cpu_time_read(row, slots->of[CPU_PROCESS_SYSTEM], CPU_TICK_NS, &ret_time->system);
}

void cpu_time_add(CpuTime *sum, const CpuTime *part)
{
	sum->run = fold_add_saturated(sum->run, part->run);
	sum->user = fold_add_saturated(sum->user, part->user);
	sum->system = fold_add_saturated(sum->system, part->system);
}

static guint64 less(guint64 a, guint64 b)
{
	return a > b ? a - b : 0;
}

CpuTime cpu_time_subtract(const CpuTime *a, const CpuTime *b)
{
	return (CpuTime){less(a->run, b->run), less(a->user, b->user), less(a->system, b->system)};
}
