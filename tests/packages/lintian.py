# SPDX-License-Identifier: LGPL-2.1-or-later
"""lintian, which has to be content with all that Debian gets."""

import os
import subprocess

import harness


def check(file):
    harness.need_command("lintian")
    # It does not like to be root.
    user = ["--allow-root"] if os.geteuid() == 0 else []
    # No bug of Debian's asks for the package yet.
    done = subprocess.run(
        ["lintian", "-EviIL", "+pedantic", "--fail-on=error,warning,info,pedantic",
         "--suppress-tags=initial-upload-closes-no-bugs", *user, file],
        stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
