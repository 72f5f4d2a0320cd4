/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory for one test, gone when the test is over. */
#pragma once

#include <glib.h>

typedef char TestDir;

/* Its path; in the system's directory for such things. */
TestDir *test_dir_new(void);
/* Removes it with all that is in it. */
void test_dir_free(TestDir *dir);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TestDir, test_dir_free)

/* Creates path below dir, directories on the way included: a directory when
 * it ends in '/', else a file that holds text. */
void test_dir_add(const TestDir *dir, const char *path, const char *text);
/* How many entries dir has. */
guint test_dir_count(const TestDir *dir);
