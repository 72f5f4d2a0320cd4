/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --categories: a file, or one of the tables that come with ctprof. */
#pragma once

#include <glib.h>

#include "report/plan/options.h"

/* name: a path, or the name of a file in ctprof's own folder of tables, without
 * ".json".  Such a table takes precedence over a path without '/'. */
Categories *categories_load(const char *name, GError **error);
