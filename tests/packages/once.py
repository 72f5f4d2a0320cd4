# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes things that several tests need and that take minutes only once, or fails once."""

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
