#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tests that a kernel file that does not exist, or cannot be read, only makes its own fields absent."""

import contextlib
import shutil
import tempfile
from pathlib import Path

import golden
import harness
import tap
import truth

ROOT = golden.HERE / "6.12-schedstats"
SMAPS = ["smaps_rollup_kib", "smaps_source"]


@contextlib.contextmanager
def copy_of_root():
    with tempfile.TemporaryDirectory() as folder:
        # Make it accessible to the user that some of the captures run as.
        Path(folder).chmod(0o755)
        root = Path(folder) / "root"
        shutil.copytree(ROOT, root)
        yield root


def files_of_threads():
    """Yields (tgid, tid, file name) of every recorded file of a thread."""
    for path in sorted(ROOT.glob("proc/*/task/*/*")):
        yield int(path.parts[-4]), int(path.parts[-2]), path.name


def values(snapshot):
    """Returns (tgid, tid) -> field -> value or absence."""
    names = list(next(iter(snapshot.rows.values())))
    names += ["smaps_state", "smaps_source", *truth.OF_PROCESS, "cgroup_v1"]
    skipped = ("presence", "extra", "tid", "tgid", "comm_hex", "pcomm_hex")
    return {
        key: {name: snapshot.value(row, name) for name in names if name not in skipped}
        for key, row in snapshot.rows.items()
    }


def expect_loss(before, key, file, reason):
    """Returns the values that remain if one file of one thread is missing."""
    after = {k: dict(fields) for k, fields in before.items()}
    fields = after[key]
    if file == "stat" and reason == "unsupported":
        del after[key]
        return after
    lost = SMAPS if file == "smaps_rollup" else list(truth.FIELDS[file])
    lost += ["cpu_affinity"] if file == "status" else []
    for name in lost:
        # A thread that is not a leader has no values of the process to lose; only the file itself shows that
        # a thread has no slice, or no paths of v1.
        if fields[name] != ("absent", "inapplicable") or name in ("fair_slice_ns", "cgroup_v1"):
            fields[name] = ("absent", reason)
    if file == "smaps_rollup":
        fields["smaps_state"] = ("value", "inaccessible")
    if file == "stat" and fields["smaps_state"] == ("value", "not-applicable"):
        # Only stat shows that a thread cannot have memory.
        fields["smaps_state"] = ("value", "inaccessible")
        fields.update({name: ("absent", "unsupported") for name in SMAPS})
    return after


def differences(want, got):
    lines = [f"{key}: {want.get(key) and 'lost'}" for key in want.keys() ^ got.keys()]
    for key in want.keys() & got.keys():
        for name in want[key]:
            if want[key][name] != got[key].get(name):
                lines.append(f"{key} {name}: want {want[key][name]}, got {got[key].get(name)}")
    return lines


def check_each(spoil, mend, reason, user=None):
    with copy_of_root() as root:
        before = values(golden.capture(root))
        failures = []
        for tgid, tid, name in files_of_threads():
            path = root / f"proc/{tgid}/task/{tid}/{name}"
            spoil(path)
            got = values(golden.capture(root, user=user))
            mend(path)
            want = expect_loss(before, (tgid, tid), name, reason)
            failures += [f"without {tid}/{name}: {line}" for line in differences(want, got)]
        assert not failures, "\n".join(failures[:40])


def test_a_missing_file_takes_its_own_fields_and_nothing_else():
    def hide(path):
        path.rename(path.with_name("hidden"))

    def show(path):
        path.with_name("hidden").rename(path)

    check_each(hide, show, "unsupported")


def test_an_unreadable_file_takes_its_own_fields_and_nothing_else():
    user = harness.need_other_user() if harness.is_root() else None
    check_each(lambda path: path.chmod(0), lambda path: path.chmod(0o644), "denied", user)


def test_the_name_of_a_process_is_its_leaders():
    """The file of the process is not needed; if the leader's is missing, too, the name is absent."""
    with copy_of_root() as root:
        before = values(golden.capture(root))
        (root / "proc/172/comm").unlink()
        assert values(golden.capture(root)) == before
        (root / "proc/172/task/172/comm").unlink()
        after = values(golden.capture(root))
        assert {after[key]["pcomm"] for key in after if key[0] == 172} == {
            ("absent", "unsupported")
        }


def test_the_summary_counts_each_missing_file():
    with copy_of_root() as root:
        assert golden.capture(root).data["parse_summary"]["read_failures"] == 0
        for name in ("schedstat", "io", "io"):
            next(root.glob(f"proc/172/task/*/{name}")).unlink()
        summary = golden.capture(root).data["parse_summary"]
        assert summary["read_failures"] == 3, summary
        assert summary["read_failures_by_file"] == {"io": 2, "schedstat": 1}, summary
        assert summary["read_failures_by_errno"] == {"io:ENOENT": 2, "schedstat:ENOENT": 1}
        assert summary["dominant_read_failure"] == "io", summary
        assert summary["kernel_config_dominant"] is True, summary


def test_a_process_without_threads_and_a_root_without_processes():
    with copy_of_root() as root:
        shutil.rmtree(root / "proc/214/task/214")
        snapshot = golden.capture(root)
        assert 214 not in {tgid for tgid, _ in snapshot.keys}
        for path in root.glob("proc/[0-9]*"):
            shutil.rmtree(path)
        done = harness.run("capture", *golden.options(root), "-o", "-", check=False)
        assert done.returncode == 1 and done.stdout == b"", done
        assert b"no process" in done.stderr, done.stderr


def test_a_cgroup_root_that_is_none_is_said():
    """An unusable cgroup root is reported to the user; a host without cgroups, or without that option, is
    not."""
    none = b"no hierarchy below --cgroup-root"

    def told(*options):
        return harness.run(*options, "capture", "--proc-root", root / "proc", "-o", "-").stderr

    with copy_of_root() as root:
        assert none not in told()
        shutil.rmtree(root / "cgroup")
        (root / "cgroup").mkdir()
        for options in ([], ["--plugins=procfs,cgroup"]):
            assert none in told(*options, "--cgroup-root", root / "cgroup"), options
        (root / "cgroup/cgroup.controllers").write_text("cpu memory\n", encoding="ascii")
        assert none not in told("--cgroup-root", root / "cgroup")


if __name__ == "__main__":
    tap.main(globals())
