/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Reads the name and version of the kernel, and its accounting and scheduler settings. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#ifdef HAVE_ZLIB
#define ZLIB_CONST
#include <zlib.h>
#endif

#include "cleanup.h"
#include "file.h"
#include "items.h"
#include "parse.h"

#define VERSION "version" /* "Linux version 6.1.0-50-amd64 (...)" */
#define OSRELEASE "sys/kernel/osrelease"
#define CONFIG_GZ_BYTES (1u << 20)
#define CONFIG_BYTES (8u << 20)
/* The option is near the beginning: usually, the rest need not be unpacked. */
#define CONFIG_HEAD_BYTES (16u << 10)

/* Reads a file's value, otherwise a word of the version line; 0 or -errno. */
static int read_name(struct host_run *run, const char *path, size_t word, struct text *ret)
{
	int result = host_run_read_value(run, CTPROF_ROOT_PROC, path, ret);

	if (result != -ENOENT)
		return result;
	ssize_t got = host_run_read_head(run, CTPROF_ROOT_PROC, VERSION);
	if (got < 0)
		return (int)got;
	return host_parse_word(run->text, (size_t)got, word, ret) ? 0 : -EINVAL;
}

int host_collect_name(struct host_run *run, const struct host_item *item)
{
	struct text name;
	int result = read_name(run, item->path, item->first == HOST_KERNEL_RELEASE ? 2 : 0, &name);

	return result < 0 ? result : host_run_put_text(run, item->first, name);
}

/* The file was added in 6.1; before that, uname() replaces it. */
int host_collect_arch(struct host_run *run, const struct host_item *item)
{
	struct text name;
	struct utsname uts;
	int result = host_run_read_value(run, item->root, item->path, &name);

	if (result == -ENOENT && run->host->live(run->host) && uname(&uts) == 0)
		return host_run_put_string(run, item->first, uts.machine);
	return result < 0 ? result : host_run_put_text(run, item->first, name);
}

/* Whether the sysctl is missing although the kernel is 5.14 or later, which should have it. */
static bool is_delayacct_missing(struct host_run *run)
{
	struct text release;

	return read_name(run, OSRELEASE, 2, &release) == 0 && host_parse_is_since(release, 5, 14);
}

int host_collect_delayacct(struct host_run *run, const struct host_item *item)
{
	struct text value;
	int result = host_run_read_value(run, item->root, item->path, &value);

	if (result == -ENOENT && is_delayacct_missing(run))
		return host_run_put_string(run, item->first, "config_off");
	if (result < 0)
		return result;
	if (text_equal(value, "1"))
		return host_run_put_string(run, item->first, "on");
	return text_equal(value, "0") ? host_run_put_string(run, item->first, "runtime_off")
				      : -EINVAL;
}

/* ---- config.gz --------------------------------------------------------- */

#ifdef HAVE_ZLIB
/* Unpacks a gzip file, as far as it fits; returns the size, or 0 if the file is invalid. */
static size_t gunzip(const char *in, size_t len, char *out, size_t size)
{
	z_stream stream = {
		.next_in = (const Bytef *)in,
		.avail_in = (uInt)len,
		.next_out = (Bytef *)out,
		.avail_out = (uInt)size,
	};

	if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
		return 0;
	bool valid = inflate(&stream, Z_FINISH) == Z_STREAM_END || stream.avail_out == 0;
	inflateEnd(&stream);
	return valid ? size - stream.avail_out : 0;
}

static const char *read_config(struct host_run *run, const struct host_item *item)
{
	AUTO_FREE char *in = malloc(CONFIG_GZ_BYTES);
	AUTO_FREE char *out = malloc(CONFIG_BYTES);

	if (!in || !out)
		return "unknown";
	ssize_t got = file_read_root(run->host, item->root, item->path, in, CONFIG_GZ_BYTES);
	if (got <= 0)
		return "unknown";
	size_t len = gunzip(in, (size_t)got, out, CONFIG_HEAD_BYTES);
	const char *found = host_parse_config(out, len, "CONFIG_TASK_XACCT");
	if (len < CONFIG_HEAD_BYTES || strcmp(found, "unknown") != 0)
		return found;
	len = gunzip(in, (size_t)got, out, CONFIG_BYTES);
	return host_parse_config(out, len, "CONFIG_TASK_XACCT");
}
#else
static const char *read_config(struct host_run *run, const struct host_item *item)
{
	(void)run;
	(void)item;
	return "unknown";
}
#endif

int host_collect_xacct(struct host_run *run, const struct host_item *item)
{
	/* The configuration of the running kernel cannot change: read it once. */
	if (!run->kept->xacct)
		run->kept->xacct = read_config(run, item);
	return host_run_put_string(run, item->first, run->kept->xacct);
}

/* ---- scheduler sysctls ------------------------------------------------- */

/* Whether a tunable is slow to read: reading sched_rt_* and sched_deadline_* rebuilds the
 * scheduling domains of the host (sched_rt_handler), so a recording reads them only once. */
static bool is_slow(const char *name)
{
	return strncmp(name, "sched_rt_", 9) == 0 || strncmp(name, "sched_deadline_", 15) == 0;
}

static struct text find_kept(const struct host_kept *kept, const char *name)
{
	for (size_t i = 0; i < HOST_MAX_SLOW; i++)
		if (strcmp(kept->slow[i].name, name) == 0)
			return text_of(kept->slow[i].value);
	return (struct text){"", 0};
}

static void keep(struct host_kept *kept, const char *name, struct text value)
{
	size_t i = 0, len = strlen(name);

	while (i < HOST_MAX_SLOW && kept->slow[i].name[0])
		i++;
	if (i == HOST_MAX_SLOW || len >= sizeof kept->slow[i].name ||
	    value.len >= sizeof kept->slow[i].value)
		return;
	memcpy(kept->slow[i].name, name, len);
	memcpy(kept->slow[i].value, value.p, value.len);
}

/* Reads the value of a regular file in the directory, if it has one. */
static bool read_tunable(struct host_run *run, int dir, const char *name, struct text *ret_value)
{
	struct stat st;

	*ret_value = find_kept(run->kept, name);
	if (ret_value->len > 0)
		return true;

	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode))
		return false;
	ssize_t got = file_read_at(run->host, dir, name, run->text, sizeof run->text);
	if (got <= 0)
		return false;
	*ret_value = text_trim((struct text){run->text, (size_t)got});
	if (is_slow(name))
		keep(run->kept, name, *ret_value);
	return ret_value->len > 0 && !memchr(ret_value->p, '\0', ret_value->len);
}

int host_collect_tunables(struct host_run *run, const struct host_item *item)
{
	__attribute__((cleanup(file_close_dir))) DIR *dir = NULL;
	const struct dirent *entry;
	struct text value;
	int root = run->host->root(run->host, item->root);
	int result = file_open_dir(run->host, root, item->path, &dir);

	if (result < 0)
		return result;
	host_run_begin_map(run);
	while (result == 0 && (entry = readdir(dir)))
		if (strncmp(entry->d_name, "sched_", 6) == 0 &&
		    read_tunable(run, dirfd(dir), entry->d_name, &value))
			result = host_run_add(run, entry->d_name, value);
	return result < 0 ? result : host_run_put_map(run, item->first);
}
