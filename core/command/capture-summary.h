/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The line that ends a capture: what was read, what is absent, where it is. */
#pragma once

#include "capture/capture.h"

/* leaders_only: each row is a process. */
void capture_summarise(const CaptureResult *result, gboolean leaders_only, const Output *output);
