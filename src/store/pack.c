/* pack.c - packs and unpacks with zstd. The compressor is made when it is first needed, and so is the
 * decompressor: most connections read or write no long text. */
#include "store/pack.h"

#include "base/embed.h"
#include "base/mem.h"

#include <zstd.h>

/* The quickest level: the third takes a third more time for 1 to 4 % fewer bytes. */
enum { LEVEL = 1 };

EMBED(pack_dict, PACK_DICT);

struct packer {
	ZSTD_CCtx *packs;
	ZSTD_CDict *packs_with;
	ZSTD_DCtx *unpacks;
	ZSTD_DDict *unpacks_with;
};

struct packer *packer_new(void)
{
	return mem_alloc(sizeof(struct packer));
}

struct packer *packer_free(struct packer *p)
{
	if (!p) return NULL;
	if (p->packs) ZSTD_freeCCtx(p->packs);
	if (p->packs_with) ZSTD_freeCDict(p->packs_with);
	if (p->unpacks) ZSTD_freeDCtx(p->unpacks);
	if (p->unpacks_with) ZSTD_freeDDict(p->unpacks_with);
	mem_free(p);
	return NULL;
}

static size_t dict_size(void)
{
	return (size_t)(pack_dict_end - pack_dict_start);
}

static bool can_pack(struct packer *p)
{
	if (!p->packs) p->packs = ZSTD_createCCtx();
	if (p->packs && !p->packs_with)
		p->packs_with = ZSTD_createCDict(pack_dict_start, dict_size(), LEVEL);
	return p->packs && p->packs_with;
}

static bool can_unpack(struct packer *p)
{
	if (!p->unpacks) p->unpacks = ZSTD_createDCtx();
	if (p->unpacks && !p->unpacks_with)
		p->unpacks_with = ZSTD_createDDict(pack_dict_start, dict_size());
	return p->unpacks && p->unpacks_with;
}

/* There is room for less than the text: what does not get shorter is refused. */
bool packer_pack(struct packer *p, struct str text, struct arena *arena, struct str *out)
{
	size_t len;
	char *at;

	if (text.len < PACK_FROM || text.len > PACK_MOST || !can_pack(p)) return false;
	at = arena_alloc(arena, text.len);
	if (!at) return false;
	len = ZSTD_compress_usingCDict(
		p->packs, at, text.len - 1, text.at, text.len, p->packs_with);
	if (ZSTD_isError(len)) return false;
	*out = str_make(at, len);
	return true;
}

bool packer_unpack(
	struct packer *p, struct str bytes, struct arena *arena, struct str *out)
{
	unsigned long long len = ZSTD_getFrameContentSize(bytes.at, bytes.len);
	char *at;

	/* Both ways to say that it is not known are greater than this. */
	if (len > PACK_MOST || !can_unpack(p)) return false;
	at = arena_alloc(arena, (size_t)len + 1);
	if (!at || ZSTD_decompress_usingDDict(p->unpacks, at, (size_t)len, bytes.at,
			   bytes.len, p->unpacks_with) != len)
		return false;
	*out = str_make(at, (size_t)len);
	return true;
}
