/* SPDX-License-Identifier: 0BSD */
/* lint-as: include/ctprof/layer.h */
#include <stddef.h>
#include <stdint.h>
#include "plugin.h"

#include <glib.h>  /* expect: layer */
#include <stdio.h> /* expect: layer */
