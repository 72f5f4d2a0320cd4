# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which code ctprof loads, and whose paths to it are trusted."""

import os
import shutil
import struct

from rig import BUILD, NOBODY, add_tests, become, check_failure, is_root, rig

import tap
from built import is_sanitized

SOMEBODY = 1234


def need_root():
    if not is_root():
        raise tap.Skip("only root distrusts plugins, and can give files away")


# The change to the plugin's file and directory -> the name of the weak spot.
WEAK = {
    "file_of_somebody": (lambda file, folder: os.chown(file, SOMEBODY, 0), "ctprof-toy.so"),
    "file_writable_by_all": (lambda file, folder: file.chmod(0o666), "ctprof-toy.so"),
    "file_writable_by_a_group":
        (lambda file, folder: (os.chown(file, 0, SOMEBODY), file.chmod(0o664)), "ctprof-toy.so"),
    "directory_of_somebody": (lambda file, folder: os.chown(folder, SOMEBODY, 0), "plugins'"),
    "directory_writable_by_all": (lambda file, folder: folder.chmod(0o777), "plugins'"),
}


def check_weak(name, spoil, spot):
    need_root()
    with rig() as r:
        if "directory" in name:
            # The sink must be found elsewhere, so that it is the toy that is refused.
            safe = r.tmp / "safe"
            safe.mkdir()
            (r.plugins / "ctprof-snapshot.so").rename(safe / "ctprof-snapshot.so")
            first = ["--plugin-path", safe]
        else:
            first = []
        spoil(r.plugins / "ctprof-toy.so", r.plugins)
        result = r.run(*first, "--proc-root", r.proc, "capture", "-o", r.file)
        check_failure(result, 1, "ctprof-toy.so", "refused", spot)
        assert r.left() == []
        listed = r.run("plugins", plugins=None)
        assert listed.status == 0 and "\ntoy " not in listed.out, str(listed)
        assert any("refused" in line for line in listed.err), str(listed)


add_tests(globals(), "refuses", check_weak, WEAK)


def test_sticky_directory_is_fine():
    need_root()
    with rig() as r:
        r.plugins.chmod(0o1777)
        assert r.capture().status == 0


def test_link_from_a_weak_directory_is_refused_or_resolved():
    """The checked file is the one that is loaded: the link is not followed
    again."""
    need_root()
    with rig() as r:
        safe = r.tmp / "safe"
        safe.mkdir()
        for file in list(r.plugins.iterdir()):
            file.rename(safe / file.name)
            file.symlink_to(safe / file.name)
        r.plugins.chmod(0o777)
        os.chown(r.plugins, SOMEBODY, SOMEBODY)
        shown = r.run("plugins", "toy")
        if shown.status == 0:
            assert f"file: {safe}" in shown.out, f"loaded through a link others can change\n{shown}"
        else:
            check_failure(shown, 1, "refused")


def test_link_to_a_weak_directory_is_refused():
    """The directory of the link and the file are safe; a directory in between is not."""
    need_root()
    with rig() as r:
        weak = r.tmp / "weak"
        weak.mkdir()
        file = r.plugins / "ctprof-toy.so"
        file.rename(weak / file.name)
        file.symlink_to(weak / file.name)
        weak.chmod(0o777)
        check_failure(r.capture(), 1, "ctprof-toy.so", "refused", "weak'")
        assert r.left() == []


def test_weak_directory_further_up_is_refused():
    need_root()
    with rig() as r:
        deep = r.tmp / "weak" / "deep"
        deep.mkdir(parents=True)
        (r.plugins / "ctprof-toy.so").rename(deep / "ctprof-toy.so")
        deep.parent.chmod(0o777)
        result = r.run("--plugin-path", deep, "--proc-root", r.proc, "capture", "-o", r.file)
        check_failure(result, 1, "ctprof-toy.so", "refused", "weak'")
        assert r.left() == []


def test_ordinary_user_loads_his_own():
    need_root()
    with rig() as r:
        for path in (r.plugins, *r.plugins.iterdir(), r.output):
            os.chown(path, NOBODY, NOBODY)
        result = r.capture(preexec_fn=become(NOBODY))
        assert result.status == 0, str(result)


def test_environment_names_a_path():
    with rig() as r:
        env = {"CTPROF_PLUGIN_PATH": str(r.plugins)}
        result = r.run("plugins", plugins=None, path=False, env=env)
        assert result.status == 0 and "\ntoy " in result.out, str(result)
        without = r.run("plugins", plugins=None, path=False)
        assert "\ntoy " not in without.out, str(without)


def test_environment_names_several_paths():
    with rig() as r:
        (r.tmp / "none").mkdir()
        env = {"CTPROF_PLUGIN_PATH": f"{r.tmp / 'none'}::{r.plugins}"}
        result = r.run("plugins", plugins=None, path=False, env=env)
        assert result.status == 0 and "\ntoy " in result.out, str(result)


def test_environment_names_no_directory():
    with rig() as r:
        env = {"CTPROF_PLUGIN_PATH": str(r.tmp / "nowhere")}
        check_failure(r.run("plugins", plugins=None, path=False, env=env), 1, "nowhere")


def test_first_directory_wins():
    with rig() as r:
        other = r.tmp / "other"
        other.mkdir()
        shutil.copy(r.plugins / "ctprof-toy.so", other)
        result = r.run("--plugin-path", other, "plugins", "toy")
        assert f"file: {r.plugins}/" in result.out, str(result)
        env = {"CTPROF_PLUGIN_PATH": str(other)}
        result = r.run("plugins", "toy", env=env)
        assert f"file: {r.plugins}/" in result.out, str(result)


def raise_user(program):
    os.chown(program, NOBODY, NOBODY)
    program.chmod(0o6755)


def raise_capabilities(program, number=19):
    """What setcap cap_sys_ptrace=ep writes: struct vfs_cap_data, version 2."""
    data = struct.pack("<5I", 0x02000001, 1 << number, 0, 0, 0)
    try:
        os.setxattr(program, "security.capability", data)
    except OSError as error:
        raise tap.Skip(f"files cannot have capabilities here: {error.strerror}")


def check_raised(name, raise_rights):
    need_root()
    with rig() as r:
        program = r.tmp / "ctprof"
        shutil.copyfile(BUILD / "ctprof", program)
        program.chmod(0o755)
        command = [str(program), "plugins"]
        env = {"CTPROF_PLUGIN_PATH": str(r.plugins)}

        def listed():
            process = r.start(command, env, preexec_fn=become(SOMEBODY))
            out, err = process.communicate()
            if process.returncode != 0:
                if is_sanitized():
                    raise tap.Skip("a sanitizer may not look at its own process then")
                raise tap.Skip(f"a copy of ctprof does not run here: {err.decode()[-200:]}")
            return "\ntoy " in out.decode()
        assert listed(), "the environment is not honoured without raised rights"
        raise_rights(program)
        if os.statvfs(program).f_flag & os.ST_NOSUID:
            raise tap.Skip("files are without such rights here")
        assert not listed(), "code of the caller's choice runs with another's rights"
        # Even if it is named on the command line.
        command[1:1] = ["--plugin-path", str(r.plugins)]
        os.chown(r.plugins, SOMEBODY, SOMEBODY)
        assert not listed(), "a plugin that its caller can change runs with another's rights"


add_tests(globals(), "environment_is_ignored_with_raised", check_raised, {
    "user": [raise_user],
    "capabilities": [raise_capabilities],
})


# ---- files that the user names ---------------------------------------------------

DAC_READ_SEARCH = 2


def raise_reading(program):
    raise_capabilities(program, DAC_READ_SEARCH)


def become_owner_of_all(program):
    if is_sanitized():
        raise tap.Skip("a sanitizer may not look at its own process then")
    os.chown(program, 0, 0)
    program.chmod(0o4755)


def check_named_file(name, raise_rights):
    """A ctprof with more rights than its user reads only files that the user can
    read."""
    need_root()
    with rig() as r:
        program = r.tmp / "ctprof"
        shutil.copyfile(BUILD / "ctprof", program)
        program.chmod(0o755)
        for plugin in ("snapshot", "table"):
            shutil.copyfile(BUILD / f"ctprof-{plugin}.so", r.plugins / f"ctprof-{plugin}.so")
        secret = r.tmp / "secret"
        secret.write_text("hunter2")
        secret.chmod(0o600)
        # The output folder is root's, too.
        for arguments in (["show", "--categories", secret, secret], ["show", secret],
                          ["compare", secret, secret], ["memory", "processes", secret],
                          ["--proc-root", r.proc, "capture", "-o", r.file]):
            command = [str(program), "--plugin-path", str(r.plugins)] + [str(word) for word in arguments]
            raise_rights(program)
            if os.statvfs(program).f_flag & os.ST_NOSUID:
                raise tap.Skip("files are without such rights here")
            result = r.finish(r.start(command, preexec_fn=become(SOMEBODY)))
            if result.status == 127:
                raise tap.Skip(f"a copy of ctprof does not run here: {result}")
            check_failure(result, 1, "Permission denied")
            assert "hunter2" not in str(result), str(result)
        assert r.left() == []


add_tests(globals(), "named_file_with_raised", check_named_file, {
    "user": [become_owner_of_all],
    "capabilities": [raise_reading],
})


def test_plugin_path_with_raised_capabilities():
    """It neither lists a directory that its user may not list, nor reveals its contents."""
    need_root()
    with rig() as r:
        program = r.tmp / "ctprof"
        shutil.copyfile(BUILD / "ctprof", program)
        program.chmod(0o755)
        raise_reading(program)
        closed = r.tmp / "closed"
        closed.mkdir()
        (closed / "file").touch()
        closed.chmod(0o700)
        r.plugins.chmod(0o711)
        told = set()
        for path in (r.plugins, closed / "nothing", closed / "file"):
            result = r.finish(r.start([str(program), "--plugin-path", str(path), "plugins"], preexec_fn=become(SOMEBODY)))
            if result.status == 127:
                raise tap.Skip(f"a copy of ctprof does not run here: {result}")
            assert result.status == 1 and "toy" not in result.out, str(result)
            told.add(result.err[-1].rsplit(":", 1)[1])
        assert told == {" Permission denied"}, told


def test_root_shows_what_is_anothers():
    need_root()
    with rig() as r:
        result = r.run("capture", "-o", r.file, "--pid", os.getpid(), path=False, plugins="procfs")
        assert result.status == 0, str(result)
        os.chown(r.output, SOMEBODY, SOMEBODY)
        os.chown(r.file, SOMEBODY, SOMEBODY)
        r.output.chmod(0o700)
        r.file.chmod(0o600)
        shown = r.run("show", r.file, path=False, plugins=None)
        assert shown.status == 0 and shown.out, str(shown)


def test_named_file_is_a_device():
    with rig() as r:
        for arguments in (["show", "/dev/zero"], ["show", "--categories", "/dev/zero", "x"]):
            check_failure(r.run(*arguments, path=False, plugins=None), 1, "/dev/zero", "No such device")


if __name__ == "__main__":
    tap.main(globals(), world="own")
