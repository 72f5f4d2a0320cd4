/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A directory for one test, removed at its end. */
#pragma once

#include <glib.h>

typedef char TestDir;

/* Creates it in the system's directory for temporary files; returns its path. */
TestDir *test_dir_new(void);
/* Removes it with its contents. */
void test_dir_free(TestDir *dir);
G_DEFINE_AUTOPTR_CLEANUP_FUNC(TestDir, test_dir_free)

/* Creates path below dir, with its parent directories: a directory if it ends
 * in '/', otherwise a file that contains text. */
void test_dir_add(const TestDir *dir, const char *path, const char *text);
/* Returns the number of entries of dir. */
guint test_dir_count(const TestDir *dir);
