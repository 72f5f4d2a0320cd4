# SPDX-License-Identifier: LGPL-2.1-or-later
"""Options that plugins declare: on the command line, in help, and with plugins that break."""

import os

from rig import add_tests, check_failure, everything, is_root, rig

import tap

# The value as written -> the value that the toys get.
VALUES = {
    "long_option": (["--toy-when=seldom"], "seldom", "seldom"),
    "next_word": (["--toy-when", "often"], "often", "often"),
    "last_one": (["--toy-when=often", "--toy-when=seldom"], "seldom", "seldom"),
    "one_plugin": (["-O", "toy.when=often"], "often", "opened"),
    "one_differs": (["-O", "toy.when=often", "-Otoy-2.when=seldom"], "often", "seldom"),
    "a_time_is_nanoseconds": (["--toy-long=1.5s"], "1500000000", "1500000000"),
    "not_given": ([], "opened", "opened"),
}


def words(r, toy="toy_word"):
    return {field.partition("=")[2] for line in r.lines("thread") for field in line.split()
            if field.startswith(toy + "=")}


def check_value(name, options, one, two):
    with rig() as r:
        r.install("toy-2")
        result = r.capture(*options, plugins=everything())
        assert result.status == 0, str(result)
        assert (words(r), words(r, "toy_2_word")) == ({one}, {two}), str(r.lines("thread"))


add_tests(globals(), "value", check_value, VALUES)


def check_broken(fault, *limit):
    """Help works, the options of other plugins are known, and one line reports the
    lost plugin."""
    with rig() as r:
        r.install("toy-2")
        env = {"TOY_FAULT": fault}
        shown = r.run(*limit, "capture", "--help", plugins=everything(), env=env)
        assert shown.status == 0 and "--output=FILE" in shown.out, str(shown)
        assert "--toy-when=WHEN" in shown.out, str(shown)
        assert "often (every day) or seldom" in " ".join(shown.out.split()), str(shown)
        result = r.capture(*limit, "--toy-when=seldom", plugins=everything(), env=env)
        assert result.status in (0, 4), str(result)
        told = [line for line in result.err if "warning: " in line and "toy" in line]
        assert len(told) == 1, str(result)
        assert words(r, "toy_2_word") == {"seldom"}, str(r.lines("thread"))


add_tests(globals(), "broken", check_broken, {
    "crash-constructor": [],
    "crash-entry": [],
    "exit-entry": [],
    "hang-entry": ["--plugin-timeout=200ms"],
    "crash-open": [],
    "wrong-major": [],
    "odd-option": [],
})


def test_a_broken_plugin_that_is_named_is_an_error_but_help_helps():
    with rig() as r:
        env = {"TOY_FAULT": "wrong-major"}
        shown = r.run("capture", "--help", env=env)
        assert shown.status == 0 and "--output=FILE" in shown.out, str(shown)
        check_failure(r.capture("--toy-when=often", env=env), 1, "toy", "ABI 2")
        assert r.left() == []


def test_unlike_options_of_one_name():
    with rig() as r:
        r.install("toy-2")
        env = {"TOY_2_FAULT": "unlike-option"}
        shown = r.run("capture", "--help", plugins=everything(), env=env)
        assert shown.status == 0 and len(shown.err) == 1 and "--toy-when" in shown.err[0], str(shown)
        assert shown.out.count("--toy-when") == 1, str(shown)
        result = r.capture("--toy-when=seldom", plugins=everything(), env=env)
        assert result.status == 0, str(result)
        assert (words(r), words(r, "toy_2_word")) == ({"seldom"}, {"opened"}), str(result)


def test_a_plugin_of_yesterday_gets_what_was_written():
    with rig() as r:
        result = r.capture("-O", "toy.when=Whenever", env={"TOY_FAULT": "no-options"})
        assert result.status == 0 and words(r) == {"Whenever"}, str(result)


def test_a_plugin_from_tomorrow_is_understood():
    with rig() as r:
        env = {"TOY_FAULT": "newer"}
        assert "--toy-long=TIME" in r.run("capture", "--help", env=env).out
        assert r.capture("--toy-when=seldom", env=env).status == 0 and words(r) == {"seldom"}


def test_plugins_that_are_not_loaded_have_no_options():
    with rig() as r:
        check_failure(r.capture("--toy-when=often", plugins="snapshot,-toy"), 2, "--toy-when")
        # But the plugin exists, and may be loaded another time.
        assert r.run("-O", "toy.when=nix", "metric-list", plugins="snapshot").status == 0


def test_plugins_are_loaded_at_the_priority_that_was_asked_for():
    """For their options, too, before the command line is read."""
    if not is_root():
        raise tap.Skip("an ordinary user cannot raise it")
    with rig() as r:
        live = ["capture", "--pid", os.getpid(), "--priority=rr", "-o", r.file]
        if "refused" in str(r.run(*live).err):
            raise tap.Skip("SCHED_RR cannot be had here")
        result = r.run(*live, "--toy-when=seldom", env={"TOY_FAULT": "raised-entry"})
        assert result.status == 0 and words(r) == {"seldom"}, str(result)


if __name__ == "__main__":
    tap.main(globals(), world="own")
