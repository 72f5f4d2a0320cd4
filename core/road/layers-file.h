/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* --layers FILE. */
#pragma once

#include "report/name/layers.h"

/* Reads and parses the file, and warns of matchers that a capture cannot decide. */
Layers *layers_load(const char *name, GError **error);
