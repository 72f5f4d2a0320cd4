# SPDX-License-Identifier: LGPL-2.1-or-later
"""lintian, which must accept everything that goes to Debian."""

import os
import subprocess

import harness


def check(file):
    harness.need_command("lintian")
    # lintian should not run as root.
    user = ["--allow-root"] if os.geteuid() == 0 else []
    # No Debian bug requests the package yet.
    done = subprocess.run(
        ["lintian", "-EviIL", "+pedantic", "--fail-on=error,warning,info,pedantic",
         "--suppress-tags=initial-upload-closes-no-bugs", *user, file],
        stdin=subprocess.DEVNULL, text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
