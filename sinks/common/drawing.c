/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "drawing.h"

#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>

#include "ctprof/sentence.h"
#include "ctprof/words.h"

const struct ctprof_cell *drawing_cell_of(const struct ctprof_report_line *line, uint64_t field)
{
	static const struct ctprof_cell nothing = {.struct_size = sizeof nothing};

	if (field < line->first || field - line->first >= line->n_cells)
		return &nothing;
	return BORDER_AT(line->cells, field - line->first);
}

static const struct verdict {
	const char *sign, *word;
} verdicts[] = {
	[CTPROF_VERDICT_NONE] = {"", ""},
	[CTPROF_VERDICT_CHANGED] = {"changed", "changed"},
	[CTPROF_VERDICT_SAME] = {"~", "same"},
	[CTPROF_VERDICT_FEW] = {"?", "few"},
};

static const struct verdict *verdict_of(const struct ctprof_runs *runs)
{
	bool is_known = runs->verdict < sizeof verdicts / sizeof verdicts[0] &&
			verdicts[runs->verdict].word;

	return &verdicts[is_known ? runs->verdict : CTPROF_VERDICT_NONE];
}

const char *drawing_verdict(const struct ctprof_runs *runs)
{
	return verdict_of(runs)->sign;
}

const char *drawing_verdict_word(const struct ctprof_runs *runs)
{
	return verdict_of(runs)->word;
}

static void format_time(double seconds, int has_zone, char ret_text[CTPROF_WORDING_TIME])
{
	time_t time = (time_t)seconds;
	struct tm parts;

	if (!localtime_r(&time, &parts) ||
	    strftime(ret_text, CTPROF_WORDING_TIME, has_zone ? "%H:%M:%S %Z" : "%H:%M:%S",
		     &parts) == 0)
		snprintf(ret_text, CTPROF_WORDING_TIME, "?");
}

void drawing_say(const struct ctprof_sentence *sentence, uint64_t width,
		 char ret_text[DRAWING_SENTENCE])
{
	const struct ctprof_wording how = {.width = width, .clock = format_time};

	(void)ctprof_sentence_write(sentence, &how, ret_text, DRAWING_SENTENCE);
}

const char *drawing_judgement(const struct ctprof_cell *cell)
{
	return cell->flags & CTPROF_CELL_WORSE    ? "worse"
	       : cell->flags & CTPROF_CELL_BETTER ? "better"
						  : "";
}

#define WORD(number, word) [(number) / CTPROF_ABSENT_UNSUPPORTED] = (word),

const char *drawing_absence(const struct ctprof_value *value)
{
	static const char *const words[] = {CTPROF_ABSENCE_WORDS(WORD)};
	/* Reasons are numbered in multiples of the first one. */
	uint32_t why = value->why / CTPROF_ABSENT_UNSUPPORTED;

	return why < sizeof words / sizeof words[0] ? words[why] : NULL;
}

bool drawing_is_text(const struct ctprof_report_field *field)
{
	return strcmp(field->unit, "text") == 0;
}

static void say_range(struct drawing_words *words, const struct ctprof_value *value, const char *to,
		      const char *after)
{
	if (value->min == value->max)
		snprintf(words->before, sizeof words->before, "%" PRId64 "%s", value->min, after);
	else
		snprintf(words->before, sizeof words->before, "%" PRId64 "%s%" PRId64 "%s",
			 value->min, to, value->max, after);
}

bool drawing_words(const struct ctprof_value *value, struct drawing_words *ret_words)
{
	struct drawing_words words = {.text = value->text ? value->text : ""};

	switch (value->type) {
	case CTPROF_VALUE_RANGE:
		say_range(&words, value, "..", "");
		break;
	case CTPROF_VALUE_MODE:
		if (value->count != value->n || value->n == 0)
			snprintf(words.after, sizeof words.after, " (%" PRIu64 "/%" PRIu64 ")",
				 value->count, value->n);
		break;
	case CTPROF_VALUE_CPUS:
		say_range(&words, value, "-", " cpus (");
		words.text = value->text ? value->text : "mixed";
		snprintf(words.after, sizeof words.after, ")");
		break;
	case CTPROF_VALUE_UNLIMITED:
		words.text = "max";
		break;
	case CTPROF_VALUE_TEXT:
		break;
	default:
		return false;
	}
	*ret_words = words;
	return true;
}

int drawing_open(const struct ctprof_host *host, void **ret_self)
{
	*ret_self = (void *)(uintptr_t)host;
	return 0;
}

void drawing_close(void *self)
{
	(void)self;
}

static ssize_t write_to_host(void *cookie, const char *data, size_t size)
{
	const struct ctprof_host *host = cookie;
	int result = host->write(host, data, size);

	if (result >= 0)
		return (ssize_t)size;
	errno = -result;
	return 0; /* a stream reports failure as 0, not -1 */
}

int drawing_to_stream(const struct ctprof_host *host, const struct ctprof_report *report,
		      void (*draw)(const struct ctprof_host *host, FILE *stream,
				   const struct ctprof_report *report))
{
	static const cookie_io_functions_t functions = {.write = write_to_host};
	FILE *stream = fopencookie((void *)(uintptr_t)host, "w", functions);

	if (!stream)
		return -errno;
	/* A larger buffer saves writes; if this fails, the default buffer is good enough. */
	(void)setvbuf(stream, NULL, _IOFBF, 65536);
	draw(host, stream, report);
	int failed = ferror(stream);
	errno = EIO;
	if (fclose(stream) < 0)
		return -errno;
	return failed ? -EIO : 0;
}
