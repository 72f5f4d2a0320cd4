/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "capture/capture.h"

/* Prints the last line of a capture: what was read, what is absent, and the file. */
void capture_summarise(const CaptureResult *result, gboolean leaders_only, const Output *output);
