/* pack.c - a packed text as a store may hold it: whatever the bytes are, it is unpacked or refused; and any
 * text that is packed comes back. */
#include "store/pack.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct packer *packer;
	struct str text = str_make((const char *)data, size), packed, back = STR_NONE;
	struct arena arena = { 0 };

	if (!packer) packer = packer_new();
	assert(packer);
	if (packer_unpack(packer, text, &arena, &back)) assert(back.len <= PACK_MOST);
	if (packer_pack(packer, text, &arena, &packed)) {
		assert(packed.len < text.len);
		assert(packer_unpack(packer, packed, &arena, &back));
		assert(str_eq(back, text));
	}
	arena_done(&arena);
	return 0;
}
