/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lint-as: plugins/common/layer.c */
#include <stdlib.h>

#include "ctprof/plugin.h"
#include "file.h"
#include <glib.h>    /* expect: layer */
#include "row/registry.h" /* expect: layer */
