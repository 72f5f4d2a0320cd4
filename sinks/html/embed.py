# SPDX-License-Identifier: LGPL-2.1-or-later
"""Prints the files as C arrays named after them: page.css becomes page_css."""

import pathlib
import sys

print('#include "sinks/html/page.h"\n')
for path in map(pathlib.Path, sys.argv[1:]):
    # The files are ASCII (with escapes), so that no byte depends on whether char is signed.
    text = path.read_text(encoding="ascii")
    print(f"const char {path.name.replace('.', '_')}[] = {{{','.join(map(str, text.encode()))},0}};")
