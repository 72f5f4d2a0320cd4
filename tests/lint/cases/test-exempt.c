/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: plugins/toy/test-toy.c */
/* Tests may include anything and know every path. */
#include "fakehost.h"
#include "registry.h"

static const char *const test_path = "/proc/self/stat";
