/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream.h"

#include <errno.h>
#include <stdlib.h>
#include <zstd.h>

#include "seek.h"

/* For the text of a snapshot, higher levels take longer and compress less. */
#define LEVEL 1
/* The size of a zstd block: the library would buffer smaller amounts again. */
#define INPUT_SIZE (128 * 1024)

struct stream {
	const struct ctprof_host *host;
	struct json json;
	ZSTD_CCtx *zstd;
	uint64_t size; /* size of the frame, as passed to the host */
	bool finished; /* the frame */
	size_t out_size;
	char out[];
};

static int stream_pass(struct stream *stream, const char *data, size_t size)
{
	int r = size > 0 ? stream->host->write(stream->host, data, size) : 0;

	if (r < 0)
		stream->host->error(stream->host, "the snapshot cannot be written");
	return r;
}

static int stream_compress(struct stream *stream, const char *data, size_t size,
			   ZSTD_EndDirective directive)
{
	ZSTD_inBuffer in = {data, size, 0};
	size_t left;

	if (stream->finished)
		stream->size = 0;
	stream->finished = false;
	do {
		ZSTD_outBuffer out = {stream->out, stream->out_size, 0};

		left = ZSTD_compressStream2(stream->zstd, &out, &in, directive);
		if (ZSTD_isError(left)) {
			stream->host->error(stream->host, "zstd: %s", ZSTD_getErrorName(left));
			return -EIO;
		}
		int r = stream_pass(stream, stream->out, out.pos);
		if (r < 0)
			return r;
		stream->size += out.pos;
	} while (in.pos < in.size || (directive == ZSTD_e_end && left > 0));
	return 0;
}

static int stream_drain(void *context, const char *data, size_t used)
{
	return stream_compress(context, data, used, ZSTD_e_continue);
}

static bool stream_set_up(struct stream *stream)
{
	stream->zstd = ZSTD_createCCtx();
	if (!stream->zstd || json_init(&stream->json, INPUT_SIZE) < 0)
		return false;
	stream->json.drain = stream_drain;
	stream->json.context = stream;
	return !ZSTD_isError(
		       ZSTD_CCtx_setParameter(stream->zstd, ZSTD_c_compressionLevel, LEVEL)) &&
	       !ZSTD_isError(ZSTD_CCtx_setParameter(stream->zstd, ZSTD_c_checksumFlag, 1));
}

struct stream *stream_new(const struct ctprof_host *host)
{
	size_t out_size = ZSTD_CStreamOutSize();
	struct stream *stream = calloc(1, sizeof *stream + out_size);

	if (!stream)
		return NULL;
	stream->host = host;
	stream->out_size = out_size;
	if (!stream_set_up(stream)) {
		stream_free(stream);
		return NULL;
	}
	return stream;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	ZSTD_freeCCtx(stream->zstd);
	json_free(&stream->json);
	free(stream);
}

struct json *stream_json(struct stream *stream)
{
	return &stream->json;
}

int stream_finish(struct stream *stream)
{
	struct json *json = &stream->json;

	if (!json->error)
		json->error = stream_compress(stream, json->data, json->used, ZSTD_e_end);
	json->used = 0;
	stream->finished = true;
	return json->error;
}

void stream_split(struct stream *stream)
{
	if (stream_finish(stream) == 0)
		stream->json.error = stream_pass(stream, SPLIT_MARK, SPLIT_MARK_BYTES);
}

uint64_t stream_size(const struct stream *stream)
{
	return stream->size;
}

void stream_reset(struct stream *stream)
{
	(void)ZSTD_CCtx_reset(stream->zstd, ZSTD_reset_session_only);
	stream->json.used = 0;
	stream->json.error = 0;
	stream->size = 0;
	stream->finished = false;
}
