/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: plugins/procfs/layer.c */
#include <errno.h>
#include <stdio.h>

#include "ctprof/source.h"
#include "text.h"
#include "own-not-written-yet.h"
#include "fakehost.h"              /* expect: layer */
#include "../../core/row/batch.h"  /* expect: layer */
#include "row/registry.h"          /* expect: layer */
#  include <base/root.h>           /* expect: layer */

/* In a comment: #include "registry.h" */
static const char *const layer_paths[] = {
	"/proc/self", /* expect: root-path */
	"/sys",       /* expect: root-path */
	"/process",
	"/system/proc",
	"proc/stat",
	"the default is /proc",
};
