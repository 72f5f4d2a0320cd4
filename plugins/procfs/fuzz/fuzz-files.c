/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Runs the parser of a plain file, chosen by the first byte of the input. */
#include "../files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t sum; /* keeps the compiler from dropping the reads */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct value values[N_METRICS];
	struct files_index index;

	if (size == 0)
		return 0;
	enum file_id file = data[0] % N_READ_FILES;
	struct text text = {(const char *)data + 1, size - 1};
	files_index_build(&index);
	procfs_files[file].parse(&index, file, text, values);
	for (unsigned i = 0; i < index.count[file]; i++) {
		const struct value *value = &values[index.first[file] + i];
		bool is_text = procfs_metrics[index.first[file] + i].def.unit == CTPROF_UNIT_TEXT;

		if (value->why != CTPROF_PRESENT)
			continue;
		sum += is_text && value->text.len > 0 ? (size_t)value->text.p[value->text.len - 1]
						      : (size_t)value->bits;
	}
	return 0;
}
