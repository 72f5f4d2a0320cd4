/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "run.h"

#include <errno.h>
#include <string.h>

#include "cleanup.h"
#include "file.h"

#define MAX_KEY 255u

ssize_t host_run_read(struct host_run *run, uint32_t root, const char *path)
{
	return file_read_root(run->host, root, path, run->text, sizeof run->text);
}

ssize_t host_run_read_head(struct host_run *run, uint32_t root, const char *path)
{
	int dir = run->host->root(run->host, root);
	AUTO_FD fd = dir < 0 ? dir : run->host->open_file(run->host, dir, path);

	if (fd < 0)
		return fd;
	ssize_t got = read(fd, run->text, sizeof run->text);
	return got < 0 ? -errno : got;
}

int host_run_read_value(struct host_run *run, uint32_t root, const char *path,
			struct text *ret_value)
{
	ssize_t got = host_run_read(run, root, path);

	if (got < 0)
		return (int)got;
	struct text value = text_trim((struct text){run->text, (size_t)got});
	if (value.len == 0)
		return -EINVAL;
	*ret_value = value;
	return 0;
}

int host_run_put_text(struct host_run *run, size_t metric, struct text value)
{
	size_t len = value.len < HOST_MAX_TEXT ? value.len : HOST_MAX_TEXT;

	if (len > 0 && memchr(value.p, '\0', len))
		return -EINVAL;
	run->host->put_text(run->batch, 0, run->slots[metric], value.p, len);
	return 0;
}

int host_run_put_string(struct host_run *run, size_t metric, const char *value)
{
	return host_run_put_text(run, metric, text_of(value));
}

int host_run_put_u64(struct host_run *run, size_t metric, uint64_t value)
{
	run->host->put_u64(run->batch, 0, run->slots[metric], value);
	return 0;
}

int host_run_put_i64(struct host_run *run, size_t metric, int64_t value)
{
	run->host->put_i64(run->batch, 0, run->slots[metric], value);
	return 0;
}

void host_run_put_error(struct host_run *run, size_t metric, int error)
{
	uint32_t why = error == -EINVAL ? CTPROF_ABSENT_INVALID : file_absence(-error);

	run->host->put_absent(run->batch, 0, run->slots[metric], why);
}

void host_run_begin_map(struct host_run *run)
{
	run->n_entries = 0;
	run->n_bytes = 0;
}

int host_run_add(struct host_run *run, const char *key, struct text value)
{
	size_t len = strlen(key);
	char *bytes = run->bytes + run->n_bytes;

	if (value.len > HOST_MAX_TEXT)
		value.len = HOST_MAX_TEXT;
	if (len == 0 || len > MAX_KEY || run->n_entries == HOST_MAX_CPUS ||
	    len + value.len > sizeof run->bytes - run->n_bytes)
		return -EFBIG;
	memcpy(bytes, key, len);
	memcpy(bytes + len, value.p, value.len);
	run->n_bytes += len + value.len;
	run->entries[run->n_entries++] = (struct ctprof_map_entry){
		.key = bytes,
		.key_len = (uint32_t)len,
		.text = bytes + len,
		.text_len = (uint32_t)value.len,
	};
	return 0;
}

int host_run_put_map(struct host_run *run, size_t metric)
{
	run->host->put_map(run->batch, 0, run->slots[metric], run->entries, run->n_entries);
	return 0;
}
