# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Debian kernel, booted by QEMU with the installed ctprof and tests in memory.

The kernel is a package that is downloaded and unpacked into the build directory,
not installed.  The initramfs holds what `meson install` made, the helpers of
tests/live, this very Python with the modules that the tests import, and busybox.
The guest's first serial line is its console, the second has the output of the
tests.
"""

import lzma
import os
import platform
import re
import shutil
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "live"))

import harness  # noqa: E402
import installed  # noqa: E402
import tap  # noqa: E402

KERNELS = harness.BUILD / "kernels"
# A guest boots in seconds; emulated on a machine that is busy, in minutes.
PATIENCE_S = 1500
MEMORY_MIB = 1536
# Options by which a kernel leaves out more, which doctor must report.
LESS = "cgroup_disable=memory psi=0 nodelayacct ctprof.only=doctor"
PYTHON_PATH = [harness.SOURCE / "tests" / folder for folder in ("lib", "live", "kernels")]
# The modules that zram needs, unless they are built in.
MODULES = {"zram", "zsmalloc", "lzo", "lzo-rle", "lzo_compress", "lzo_decompress", "lz4", "lz4hc",
           "lz4_compress", "lz4hc_compress", "lz4_decompress", "842", "842_compress",
           "842_decompress", "deflate", "zstd", "zstd_compress", "zstd_decompress"}
MIRROR = "http://deb.debian.org/debian"
KEYRING = "/usr/share/keyrings/debian-archive-keyring.gpg"
RELEASES = {"5.10": "bullseye", "6.1": "bookworm", "6.12": "trixie"}
NEWER = ("trixie-backports", "sid")
PASSWD = b"root:x:0:0::/:/bin/sh\nnobody:x:65534:65534::/:/bin/sh\n"
GROUP = b"root:x:0:\nnogroup:x:65534:\n"
INIT = """#!/bin/busybox sh
export PATH=/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/tmp LC_ALL=C.UTF-8
/bin/busybox --install -s /bin
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t securityfs securityfs /sys/kernel/security
mount -t devtmpfs devtmpfs /dev
mount -t tmpfs tmpfs /tmp
mount -t cgroup2 cgroup2 /sys/fs/cgroup
while read module; do insmod "$module"; done </modules/order
# Memory of BPF programs counts before Linux 5.11.
ulimit -l unlimited
stty -F /dev/ttyS1 raw
cd /tmp
CTPROF_BUILD=/build CTPROF_SOURCE=/source PYTHONPATH=/source/tests/lib:/source/tests/live \\
	{python} /source/tests/kernels/inside.py </dev/null >/dev/ttyS1 2>&1
poweroff -f
"""
LIST_MODULES = """
import runpy, sys
script = runpy.run_path(sys.argv[1], run_name="listed")
for name in script["LIVE"]:
    script["load"](name)
import encodings.ascii, encodings.latin_1
for module in list(sys.modules.values()):
    for name in (getattr(module, "__file__", None), getattr(module, "__cached__", None)):
        if name:
            print(name)
"""


def need_tools():
    """Everything except the kernel; also makes the folder for it."""
    if platform.machine() != "x86_64":
        raise tap.Skip("boots kernels of x86_64 only")
    for command in ("qemu-system-x86_64", "apt-get", "apt-cache", "dpkg-deb", "busybox", "zstd"):
        harness.need_command(command)
    if not os.access(harness.BUILD, os.W_OK):
        raise tap.Skip("kernels go into the build tree, which is not ours")
    (KERNELS / "packages").mkdir(parents=True, exist_ok=True)


def call(*command, **options):
    done = subprocess.run([str(word) for word in command], text=True, capture_output=True,
                          check=False, **{"stdin": subprocess.DEVNULL, **options})
    if done.returncode != 0:
        said = (done.stderr.strip() or "no word why").splitlines()[-1]
        raise tap.Skip(f"{command[0]}: {said}")
    return done.stdout


def own_package():
    """The kernel that this machine's Debian would install."""
    said = call("apt-cache", "depends", "linux-image-amd64")
    found = re.search(r"Depends: (linux-image-\S+)", said)
    if not found:
        raise tap.Skip("apt knows no linux-image-amd64 here (apt-get update)")
    return found[1]


def parts_of(deb):
    """The names of the packages that a kernel's is split into, by Debian since 7.x."""
    return re.findall(r"linux-(?:binary|modules)-[^ ,]+", call("dpkg-deb", "-f", deb, "Depends"))


def download(package, *options):
    """The files of a kernel's package, and of those that it is split into."""
    folder = KERNELS / "packages"
    if not list(folder.glob(f"{package}_*.deb")):
        call("apt-get", *options, "download", package, cwd=folder)
    found = max(folder.glob(f"{package}_*.deb"))
    return [found, *(deb for need in parts_of(found) for deb in download(need, *options))]


def apt_options(release):
    """Options of apt that make it see only this release."""
    folder = KERNELS / "apt" / release
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    sources = folder / "sources.list"
    sources.write_text(f"deb [signed-by={KEYRING}] {MIRROR} {release} main\n")
    settings = {"Dir::State::Lists": folder / "lists", "Dir::Cache": folder / "cache",
                "Dir::Etc::SourceList": sources, "Dir::Etc::SourceParts": "/dev/null"}
    return [word for key, value in settings.items() for word in ("-o", f"{key}={value}")]


def find(version=None):
    """The files of the newest package of that version, in the first release that has one; None: of
    unstable."""
    pattern = rf"^linux-image-{re.escape(version) if version else '[0-9]+'}[.+-][^ ]*amd64$"
    releases = [RELEASES[version]] if version in RELEASES else NEWER if version else NEWER[-1:]
    for release in releases:
        options = apt_options(release)
        call("apt-get", *options, "update", "--error-on=any")
        listed = call("apt-cache", *options, "search", "--names-only", pattern)
        names = [line.split()[0] for line in listed.splitlines()]
        names = [name for name in names if not re.search("cloud|rt-amd64|dbg", name)]
        if names:
            newest = max(names, key=lambda name: [int(n) for n in re.findall(r"\d+", name)])
            return download(newest, *options)
    raise tap.Skip(f"Debian has no kernel {version or ''} in {' or '.join(releases)}")


def extract(deb, folder):
    """The kernel of a package and the modules that MODULES names."""
    with tempfile.TemporaryDirectory(dir=folder) as scratch:
        with subprocess.Popen(["dpkg-deb", "--fsys-tarfile", deb], stdout=subprocess.PIPE) as tar:
            # A kernel may lack any of the modules: the status is not checked.
            subprocess.run(["tar", "-x", "-C", scratch, "--wildcards", "*/vmlinuz*",
                            *(f"*/{name}.ko*" for name in MODULES)],
                           stdin=tar.stdout, stderr=subprocess.DEVNULL, check=False)
        for path in list(Path(scratch).rglob("*")):
            if path.is_file():
                path.rename(folder / re.sub("^vmlinuz.*", "vmlinuz", path.name))


def unpack(debs):
    """Returns the folder with the needed files of a kernel's packages."""
    folder = KERNELS / debs[0].name.partition("_")[0]
    if not folder.exists():
        with tempfile.TemporaryDirectory(dir=KERNELS) as scratch:
            made = Path(scratch) / "made"
            made.mkdir()
            for deb in debs:
                extract(deb, made)
            if not (made / "vmlinuz").exists():
                raise tap.Skip(f"{debs[0].name} holds no kernel")
            made.rename(folder)
    return folder


def modules_of(kernel):
    """(name, bytes) of the modules, each after those that it needs."""
    found = {}
    for path in sorted(kernel.glob("*.ko*")):
        data = path.read_bytes()
        found[path.name.partition(".")[0].replace("-", "_")] = (
            lzma.decompress(data) if path.suffix == ".xz" else data)
    order = []

    def add(name):
        if name in found and name not in order:
            needs = re.search(rb"\0depends=([^\0]*)\0", found[name])
            for need in needs[1].decode().split(",") if needs else ():
                add(need.replace("-", "_"))
            order.append(name)

    add("zram")
    return [(name, found[name]) for name in order]


class Archive:
    """A cpio archive as the kernel unpacks it; everything in it is root's."""

    def __init__(self):
        self.parts = []
        self.names = set()

    def put(self, path, mode, data=b""):
        """A file with its folders; the first of a name counts."""
        name = str(path).lstrip("/")
        parent = os.path.dirname(name)
        if parent and parent not in self.names:
            self.put(parent, stat.S_IFDIR | 0o755)
        if name not in self.names:
            self.names.add(name)
            self.parts.append(self._entry(name, mode, data))

    def _entry(self, name, mode, data):
        encoded = name.encode() + b"\0"
        fields = (len(self.parts) + 1, mode, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(encoded), 0)
        head = b"070701" + b"".join(b"%08x" % field for field in fields) + encoded
        return head + bytes(-len(head) % 4) + data + bytes(-len(data) % 4)

    def copy(self, path, to=None):
        """A file of this machine, with the libraries it needs if it is a program."""
        data = Path(path).read_bytes()
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        self.put(to or path, stat.S_IFREG | mode, data)
        if data.startswith(b"\x7fELF"):
            listed = subprocess.run(["ldd", path], capture_output=True, text=True, check=False)
            for library in re.findall(r"(/\S+) \(0x", listed.stdout):
                if library.lstrip("/") not in self.names:
                    self.put(library, stat.S_IFREG | 0o755, Path(library).read_bytes())

    def link(self, path, to):
        self.put(path, stat.S_IFLNK | 0o777, str(to).encode())

    def write(self, path):
        path.write_bytes(b"".join([*self.parts, self._entry("TRAILER!!!", 0, b"")]))


def put_python(archive, script):
    """This interpreter, and the part of its library that the script imports."""
    python = os.path.realpath(sys.executable)
    archive.copy(python)
    environment = {**os.environ, "PYTHONPATH": ":".join(map(str, PYTHON_PATH))}
    for name in call(python, "-c", LIST_MODULES, script, env=environment).splitlines():
        if name.startswith(sys.base_prefix) and os.path.exists(name):
            archive.copy(name)
    # pthread_exit() looks for it.
    for folder in {os.path.dirname(name) for name in archive.names if "/libc.so" in name}:
        archive.copy(f"/{folder}/libgcc_s.so.1")
    # The file by which Python finds its home.
    archive.put(f"{os.path.dirname(os.__file__)}/lib-dynload", stat.S_IFDIR | 0o755)
    return python


def put_ctprof(archive):
    """The result of `meson install` without documents, laid out as the build tree that the
    tests expect."""
    with tempfile.TemporaryDirectory() as tmp:
        installed.install(tmp)
        for path in Path(tmp).rglob("*"):
            place = "/" + str(path.relative_to(tmp))
            if path.is_file() and re.search(r"/bin/ctprof$|/ctprof/.*\.so$", place):
                archive.copy(path, place)
                # Where the tests look for it.
                archive.link(f"/build/{path.name}", place)
    for program in (harness.WORKER, harness.HOLDER, harness.CHURNER):
        archive.copy(program, f"/build/tests/live/{program.name}")
    # Not built without libbpf and clang.
    for path in (harness.BUILD / "tests/kernels").glob("scheduler*"):
        if path.is_file():
            archive.copy(path, f"/build/tests/kernels/{path.name}")


def make_initramfs(kernel, path):
    archive = Archive()
    for folder in ("proc", "sys", "dev", "tmp"):
        archive.put(folder, stat.S_IFDIR | 0o755)
    # Before devtmpfs is there.
    archive.put("dev/console", stat.S_IFCHR | 0o600)
    archive.copy(shutil.which("busybox"), "/bin/busybox")
    zstd = shutil.which("zstd")
    archive.copy(zstd)
    archive.link("/bin/zstdcat", zstd)
    put_ctprof(archive)
    inside = Path(__file__).with_name("inside.py")
    for script in [p for folder in ("kernels", "live", "lib")
                   for p in harness.SOURCE.glob(f"tests/{folder}/*.py")] + [harness.SOURCE / "tests/roots/record"]:
        archive.copy(script, f"/source/{script.relative_to(harness.SOURCE)}")
    python = put_python(archive, inside)
    for name, data in modules_of(kernel):
        archive.put(f"/modules/{name}.ko", stat.S_IFREG | 0o644, data)
    order = "".join(f"/modules/{name}.ko\n" for name, _ in modules_of(kernel))
    archive.put("/modules/order", stat.S_IFREG | 0o644, order.encode())
    archive.put("/etc/passwd", stat.S_IFREG | 0o644, PASSWD)
    archive.put("/etc/group", stat.S_IFREG | 0o644, GROUP)
    archive.put("/init", stat.S_IFREG | 0o755, INIT.format(python=python).encode())
    archive.write(path)


def boot(kernel, options=""):
    """Boots the kernel with more options on its command line; returns the output of the tests."""
    console = KERNELS / f"{kernel.name}.console"
    with tempfile.TemporaryDirectory(dir=KERNELS) as scratch:
        initramfs = Path(scratch) / "initramfs"
        make_initramfs(kernel, initramfs)
        # A kernel that patches its own code (tracepoints) crashed under threads of QEMU's own.
        command = [
            "qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=single",
            "-cpu", "max", "-smp", "2", "-m", str(MEMORY_MIB), "-nodefaults", "-no-reboot", "-display", "none",
            "-serial", f"file:{console}", "-serial", "stdio",
            "-kernel", kernel / "vmlinuz", "-initrd", initramfs,
            "-append", f"console=ttyS0 panic=-1 {options}",
        ]
        try:
            done = subprocess.run([str(word) for word in command], check=False, text=True,
                                  stdin=subprocess.DEVNULL, capture_output=True,
                                  timeout=PATIENCE_S)
        except subprocess.TimeoutExpired as late:
            return (late.stdout or b"").decode(errors="replace"), console
    if done.returncode != 0:
        raise tap.Skip(f"QEMU: {done.stderr.strip().splitlines()[-1]}")
    return done.stdout, console
