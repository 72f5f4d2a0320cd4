/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "classes.h"

#include "file.h"
#include "thread-file.h"

#define SCHED_BYTES 16384u

void classes_init(struct classes *ret, const struct ctprof_host *host)
{
	char state[32];
	ssize_t got = file_read_root(host, CTPROF_ROOT_SYS, "kernel/sched_ext/state", state,
				     sizeof state);

	*ret = (struct classes){0};
	ret->off = got > 0 && text_equal(text_trim((struct text){state, (size_t)got}), "disabled");
}

bool classes_parse(struct text sched, bool *ret_ext)
{
	struct text line, left, right;
	bool found = false;

	/* The last match counts: the heading shows the thread's name, which may look like this
	 * line. */
	while (text_take_line(&sched, &line))
		if (text_split(line, ':', &left, &right) && text_equal(left, "ext.enabled")) {
			found = true;
			*ret_ext = !text_equal(right, "0");
		}
	return found;
}

bool classes_ask(struct classes *classes, const struct ctprof_host *host,
		 const struct ctprof_target *target, uint64_t address, bool *ret_ext)
{
	char sched[SCHED_BYTES];

	*ret_ext = false;
	if (classes->off)
		return true;
	for (unsigned i = 0; i < classes->n; i++)
		if (classes->known[i].address == address) {
			*ret_ext = classes->known[i].ext;
			return true;
		}
	if (classes->n == CLASSES_MAX)
		return false;
	ssize_t got =
		thread_file_read(host, target->task_fd, target->tid, "sched", sched, sizeof sched);
	if (got < 0 || !classes_parse((struct text){sched, (size_t)got}, ret_ext))
		return false;
	classes->known[classes->n].address = address;
	classes->known[classes->n++].ext = *ret_ext;
	return true;
}
