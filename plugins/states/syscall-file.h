/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parses the files that show a thread's state and system call into a record.  Pure; any bytes are
 * fine. */
#pragma once

#include <stdbool.h>

#include "kinds.h"
#include "text.h"
#include "thread-record.h"

/* Converts the letter of stat to bits of the state. */
void syscall_file_take_state(char letter, struct thread_record *record);
/* The text of syscall: "running", "-1 SP PC" or "NR A0 … A5 SP PC"; false if it is none of
 * these. */
bool syscall_file_parse(struct text text, struct thread_record *record);
/* The target of a link in fd, which may be truncated. */
void syscall_file_take_link(struct text link, struct thread_record *record);
