#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
#
# Builds jemalloc from Debian's source package with debug information, links the
# worker with it in several ways, and lets test-jemalloc-static look at each.
#
#	test-static.sh FOLDER WORKER_C TEST
#
# What takes long is kept in FOLDER.  The package lists are its own: no source of
# the system is touched.  Skipped where the package cannot be had.

set -eu

folder=$1/jemalloc-source
worker=$2
test=$3

skip() {
	echo "1..0 # SKIP $1"
	exit 0
}

fetch() {
	command -v apt-get >/dev/null || skip "no apt-get to get jemalloc's source with"
	mkdir -p "$folder/lists/partial" "$folder/cache/archives/partial"
	echo "deb-src http://deb.debian.org/debian ${VERSION_CODENAME:-stable} main" \
		>"$folder/source.list"
	local options=(
		-o "Dir::Etc::sourcelist=$folder/source.list"
		-o "Dir::Etc::sourceparts=-"
		-o "Dir::State::lists=$folder/lists"
		-o "Dir::Cache=$folder/cache"
	)
	apt-get "${options[@]}" update >"$folder/log" 2>&1 || return 1
	(cd "$folder" && apt-get "${options[@]}" source jemalloc) >>"$folder/log" 2>&1
}

build() {
	local tree
	tree=$(find "$folder" -mindepth 1 -maxdepth 1 -type d -name 'jemalloc-*' | head -n 1)
	[ -n "$tree" ] || return 1
	cd "$tree" &&
		./configure --disable-cxx CFLAGS='-g -O2' >>"$folder/log" 2>&1 &&
		make -j2 build_lib_static >>"$folder/log" 2>&1 &&
		cp lib/libjemalloc.a "$folder/"
}

link() {
	local output=$1
	shift
	"${CC:-cc}" -D_GNU_SOURCE -g -O1 -fno-builtin-malloc -fno-builtin-free "$@" "$worker" \
		"$folder/libjemalloc.a" -lm -pthread -ldl -o "$folder/$output" 2>>"$folder/log"
}

if [ ! -e "$folder/libjemalloc.a" ]; then
	. /etc/os-release
	mkdir -p "$folder"
	fetch || skip "Debian's source package jemalloc cannot be had here"
	(build) || skip "jemalloc's source does not build here"
fi
link worker || skip "no program can be linked"
link worker-no-pie -no-pie
link worker-tls -DOWN_TLS
link worker-all-static -static || echo "# no static libc here"
for name in worker worker-tls; do
	objcopy --only-keep-debug "$folder/$name" "$folder/$name-linked.debug"
	strip -o "$folder/$name-stripped" "$folder/$name"
	(cd "$folder" && objcopy --add-gnu-debuglink="$name-linked.debug" \
		"$name-stripped" "$name-linked")
done
if [ -e "$folder/worker-all-static" ]; then
	strip -o "$folder/worker-all-static-stripped" "$folder/worker-all-static"
fi
CTPROF_TEST_WORKERS=$folder exec "$test"
