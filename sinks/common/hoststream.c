/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hoststream.h"

#include <errno.h>
#include <sys/types.h>

static ssize_t write_to_host(void *cookie, const char *data, size_t size)
{
	const struct ctprof_host *host = cookie;
	int result = host->write(host, data, size);

	if (result >= 0)
		return (ssize_t)size;
	errno = -result;
	return 0; /* a stream's word for failure: it has no -1 */
}

FILE *hoststream_open(const struct ctprof_host *host)
{
	static const cookie_io_functions_t functions = {.write = write_to_host};

	FILE *stream = fopencookie((void *)(uintptr_t)host, "w", functions);

	/* Fewer and larger writes; without it the default buffer serves. */
	if (stream)
		(void)setvbuf(stream, NULL, _IOFBF, 65536);
	return stream;
}

int hoststream_close(FILE *stream)
{
	int failed = ferror(stream);

	errno = EIO;
	if (fclose(stream) < 0)
		return -errno;
	return failed ? -EIO : 0;
}
