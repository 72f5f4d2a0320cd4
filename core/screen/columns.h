/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The meaning of the columns of the first screen: for the page of help, --help and the manual. */
#pragma once

/* Padded as the keys are. */
#define COLUMNS_HELP                                                                               \
	"  POOL            threads of one name; g, --group-by: by another key\n"                   \
	"  THREADS         how many; +2 -1: two began, one ended in the window\n"                  \
	"  CPU             CPUs used: 1.50 is all of one CPU and half of another\n"                \
	"  usr/sys         percent of it in user mode, and in the kernel\n"                        \
	"  WAITING         how many waited for a CPU, on average\n"                                \
	"  A TURN          mean wait for a CPU before a turn on one\n"                             \
	"  R, D            in totals: threads running or ready to run, threads blocked\n"          \
	"  SWITCH/s        context switches a second, voluntary and forced\n"                      \
	"  READ/s          bytes read from storage per second\n"                                   \
	"  WRITE/s         bytes dirtied per second, to be written later\n"                        \
	"  PSS             memory; a shared page counts in equal parts\n"                          \
	"  GROWTH          growth of the same processes' PSS, without pages of files\n"            \
	"  HISTORY         of a recording: CPU, window by window\n"                                \
	"  STATES          where most of the time went, by samples in the window\n"                \
	"  run_delay:p99   99 of 100 values were this or less (--groups=latency)\n"                \
	"  UNIT            systemd unit, container or pod of most threads\n"                       \
	"  ~1.50           too low: some threads have no value\n"                                  \
	"  -               not measured, or without values to average\n"                           \
	"  k M G T         thousands, millions ...; for bytes, powers of 1024\n"                   \
	"  s ms µs ns      units of time\n"                                                       \
	"  ▾               the lines are sorted by this column\n"
