/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: core/layer.c */
#include <glib.h>

#include "ctprof/plugin.h"
#include "row/registry.h"
#include "plugins/common/text.h" /* expect: layer */
#include "fakehost.h"            /* expect: layer */

static const char *const layer_root = "/proc"; /* expect: root-path */
static const char *const layer_plugin = "procfs"; /* expect: plugin-name */
static const char *const layer_option = "jemalloc.mode=ptrace"; /* expect: plugin-name */
static const char *const layer_word = "cgroup";
