/* zstd_late.c - libzstd, loaded with the first long text that is packed or read, or the first reply that
 * is compressed: a server whose agents only ask has no use for it. */
#include <zstd.h>

#include "base/late.h"

#define MISSING ((size_t)-1) /* an error, as zstd has them */

#define FUNCTIONS(X)                                                                     \
	X(unsigned, 1, ZSTD_isError, (size_t code), (code))                              \
	X(ZSTD_CCtx *, NULL, ZSTD_createCCtx, (void), ())                                \
	X(size_t, 0, ZSTD_freeCCtx, (ZSTD_CCtx * c), (c))                                \
	X(size_t, MISSING, ZSTD_compressCCtx,                                            \
		(ZSTD_CCtx * c, void *to, size_t room, const void *from, size_t len,     \
			int level),                                                      \
		(c, to, room, from, len, level))                                         \
	X(ZSTD_CDict *, NULL, ZSTD_createCDict, (const void *at, size_t len, int level), \
		(at, len, level))                                                        \
	X(size_t, 0, ZSTD_freeCDict, (ZSTD_CDict * d), (d))                              \
	X(size_t, MISSING, ZSTD_compress_usingCDict,                                     \
		(ZSTD_CCtx * c, void *to, size_t room, const void *from, size_t len,     \
			const ZSTD_CDict *d),                                            \
		(c, to, room, from, len, d))                                             \
	X(unsigned long long, ZSTD_CONTENTSIZE_ERROR, ZSTD_getFrameContentSize,          \
		(const void *from, size_t len), (from, len))                             \
	X(ZSTD_DCtx *, NULL, ZSTD_createDCtx, (void), ())                                \
	X(size_t, 0, ZSTD_freeDCtx, (ZSTD_DCtx * c), (c))                                \
	X(ZSTD_DDict *, NULL, ZSTD_createDDict, (const void *at, size_t len), (at, len)) \
	X(size_t, 0, ZSTD_freeDDict, (ZSTD_DDict * d), (d))                              \
	X(size_t, MISSING, ZSTD_decompress_usingDDict,                                   \
		(ZSTD_DCtx * c, void *to, size_t room, const void *from, size_t len,     \
			const ZSTD_DDict *d),                                            \
		(c, to, room, from, len, d))

LATE_LIBRARY("libzstd.so.1", FUNCTIONS)

FUNCTIONS(LATE_CALL)
