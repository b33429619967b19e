/* pack.h - long texts made shorter, for an engine that stores them as they are. Owns the compressors
 * of one connection.
 *
 * A packed text is one zstd frame that was made with the dictionary in pack.dict and names its
 * number, so that anybody can read it: zstd -d -D pack.dict. Stores hold texts that were packed with
 * it, so that file never changes. A better dictionary gets the next number, and this one stays.
 * Prefix: packer_. */
#ifndef STORE_PACK_H
#define STORE_PACK_H

#include "base/arena.h"

/* Bytes of a text that is packed: shorter ones hardly gain, longer ones nobody has. */
enum { PACK_FROM = 64, PACK_MOST = 16 * 1024 * 1024 };

struct packer;

struct packer *packer_new(void);	     /* NULL: out of memory */
struct packer *packer_free(struct packer *); /* NULL is fine; returns NULL */
/* Into the arena. False: the text is to be stored as it is. */
bool packer_pack(struct packer *, struct str text, struct arena *, struct str *out);
/* Into the arena. False: the arena has failed, or these bytes are no packed text. */
bool packer_unpack(struct packer *, struct str bytes, struct arena *, struct str *out);

#endif
