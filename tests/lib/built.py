# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the program under test was built."""

import functools
import os
from pathlib import Path


@functools.cache
def is_sanitized():
    """Whether ctprof was built with AddressSanitizer or ThreadSanitizer."""
    program = Path(os.environ["CTPROF_BUILD"], "ctprof").read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program
