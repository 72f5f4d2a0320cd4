/* SPDX-License-Identifier: 0BSD */
/* stranger.c again, by somebody who writes C++11. */
#include <ctprof/report.h>
#include <ctprof/sink.h>
#include <ctprof/source.h>

namespace
{

class Stranger
{
      public:
	explicit Stranger(const ctprof_host *lent) : host(lent), slot(0)
	{
	}

	int declare()
	{
		ctprof_metric &metric = definition();

		metric.struct_size = sizeof metric;
		metric.kind = CTPROF_COUNTER;
		metric.unit = CTPROF_UNIT_NONE;
		metric.scope = CTPROF_SCOPE_THREAD;
		metric.name = "stranger_twice";
		metric.group = "stranger";
		metric.help = "the tid, twice";
		metric.origin = "the target";
		return host->metric(host, &metric, &slot);
	}

	void fill(ctprof_batch *batch) const
	{
		for (uint64_t i = 0; i < batch->n; i++) {
			const auto tid = ctprof_batch_target(batch, i)->tid;

			host->put_u64(batch, i, slot, 2 * static_cast<uint64_t>(tid));
		}
	}

      private:
	/* Lives for as long as the plugin is loaded. */
	static ctprof_metric &definition()
	{
		static ctprof_metric metric = {};

		return metric;
	}

	const ctprof_host *host;
	uint32_t slot;
};

int stranger_open(const ctprof_host *host, void **ret_self)
{
	auto made = new Stranger(host);
	int r = made->declare();

	if (r < 0)
		delete made;
	else
		*ret_self = made;
	return r;
}

void stranger_close(void *self)
{
	delete static_cast<Stranger *>(self);
}

int stranger_collect(void *self, void *, ctprof_batch *batch)
{
	static_cast<const Stranger *>(self)->fill(batch);
	return 0;
}

ctprof_source_ops make_ops()
{
	ctprof_source_ops made = {};

	made.struct_size = sizeof made;
	made.open = stranger_open;
	made.close = stranger_close;
	made.collect = stranger_collect;
	return made;
}

const ctprof_source_ops ops = make_ops();

ctprof_plugin make_descriptor()
{
	ctprof_plugin made = {};

	made.struct_size = sizeof made;
	made.abi_major = CTPROF_ABI_MAJOR;
	made.abi_minor = CTPROF_ABI_MINOR;
	made.kind = CTPROF_KIND_SOURCE;
	made.thread_model = CTPROF_THREADS_PER_WORKER;
	made.cost = CTPROF_COST_CHEAP;
	made.name = "stranger";
	made.version = "0.1";
	made.summary = "From outside, in C++";
	made.ops = &ops;
	return made;
}

const ctprof_plugin descriptor = make_descriptor();

} /* namespace */

CTPROF_PLUGIN(descriptor)
