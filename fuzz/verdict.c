/* verdict.c - what a verifier replied: a verdict that is taken is kept, and read back the same. */
#include "core/policy/verifier.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str reply = str_make((const char *)data, size);
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct verifications kept = { .len = 1 }, again;

	kept.at[0].name = STR("scan");
	if (verdict_read(reply, &arena, &kept.at[0], &why) == OK) {
		struct str text = verifications_text(&kept, &arena);

		assert(verifications_load(text, &arena, &again, &why) == OK);
		assert(again.len == 1 && str_eq(again.at[0].note, kept.at[0].note));
		assert(str_eq(verifications_text(&again, &arena), text));
	}
	arena_done(&arena);
	return 0;
}
