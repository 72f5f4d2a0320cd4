/* SPDX-License-Identifier: 0BSD */
/*
 * The words for the enumerations of plugin.h, as used in snapshot files and in
 * ctprof's lists.  Each is a list of X(NUMBER, WORD) for an X of your own:
 *	#define ROW(number, word) {number, word},
 *	static const struct row kinds[] = {CTPROF_KIND_WORDS(ROW)};
 * A later ctprof may use numbers that are not listed here.
 */
#ifndef CTPROF_WORDS_H
#define CTPROF_WORDS_H

#include "plugin.h"

/* enum ctprof_metric_kind */
#define CTPROF_KIND_WORDS(X)                                                                       \
	X(CTPROF_COUNTER, "counter")                                                               \
	X(CTPROF_LEVEL, "level")                                                                   \
	X(CTPROF_PEAK, "peak")                                                                     \
	X(CTPROF_LOW, "low")                                                                       \
	X(CTPROF_GAUGE, "gauge")                                                                   \
	X(CTPROF_ORDINAL, "ordinal")                                                               \
	X(CTPROF_CATEGORY, "category")                                                             \
	X(CTPROF_CPUSET, "cpuset")                                                                 \
	X(CTPROF_MAP, "map")                                                                       \
	X(CTPROF_HISTOGRAM, "histogram")                                                           \
	X(CTPROF_LABEL, "label")

/* enum ctprof_unit */
#define CTPROF_UNIT_WORDS(X)                                                                       \
	X(CTPROF_UNIT_NONE, "none")                                                                \
	X(CTPROF_UNIT_NS, "ns")                                                                    \
	X(CTPROF_UNIT_US, "us")                                                                    \
	X(CTPROF_UNIT_TICKS, "ticks")                                                              \
	X(CTPROF_UNIT_BYTES, "bytes")                                                              \
	X(CTPROF_UNIT_KIB, "kib")                                                                  \
	X(CTPROF_UNIT_TEXT, "text")                                                                \
	X(CTPROF_UNIT_CHAR, "char")                                                                \
	X(CTPROF_UNIT_BOOL, "bool")                                                                \
	X(CTPROF_UNIT_CPUS, "cpus")                                                                \
	X(CTPROF_UNIT_CENTIPERCENT, "centipercent")

/* enum ctprof_scope */
#define CTPROF_SCOPE_WORDS(X)                                                                      \
	X(CTPROF_SCOPE_THREAD, "thread")                                                           \
	X(CTPROF_SCOPE_EXIT, "exit")                                                               \
	X(CTPROF_SCOPE_PROCESS, "process")                                                         \
	X(CTPROF_SCOPE_MM, "mm")                                                                   \
	X(CTPROF_SCOPE_CGROUP, "cgroup")                                                           \
	X(CTPROF_SCOPE_OBJECT, "object")                                                           \
	X(CTPROF_SCOPE_HOST, "host")                                                               \
	X(CTPROF_SCOPE_CAPTURE, "capture")

/* enum ctprof_absence */
#define CTPROF_ABSENCE_WORDS(X)                                                                    \
	X(CTPROF_ABSENT_UNSUPPORTED, "unsupported")                                                \
	X(CTPROF_ABSENT_DENIED, "denied")                                                          \
	X(CTPROF_ABSENT_VANISHED, "vanished")                                                      \
	X(CTPROF_ABSENT_TIMEOUT, "timeout")                                                        \
	X(CTPROF_ABSENT_INVALID, "invalid")                                                        \
	X(CTPROF_ABSENT_SKIPPED, "skipped")                                                        \
	X(CTPROF_ABSENT_INAPPLICABLE, "inapplicable")

#endif /* CTPROF_WORDS_H */
