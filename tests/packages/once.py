# SPDX-License-Identifier: LGPL-2.1-or-later
"""What several tests need and takes minutes to make is made once, or fails once."""

import functools

import tap


def once(function):
    """Called only once; later calls return the same result or raise the same
    exception."""
    @functools.lru_cache
    def attempt():
        try:
            return function(), None
        except (AssertionError, tap.Skip) as why:
            return None, why

    def again():
        result, why = attempt()
        if why:
            raise why
        return result
    return again
