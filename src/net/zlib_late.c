/* zlib_late.c - zlib, loaded with the first reply that is compressed for a client without zstd. */
#include <zlib.h>

#include "base/late.h"

#define FUNCTIONS(X)                                                                     \
	X(int, Z_VERSION_ERROR, deflateInit2_,                                           \
		(z_stream * z, int level, int method, int bits, int memory,              \
			int strategy, const char *version, int size),                    \
		(z, level, method, bits, memory, strategy, version, size))               \
	X(int, Z_STREAM_ERROR, deflateReset, (z_stream * z), (z))                        \
	X(int, Z_STREAM_ERROR, deflate, (z_stream * z, int flush), (z, flush))           \
	X(int, Z_STREAM_ERROR, deflateEnd, (z_stream * z), (z))

LATE_LIBRARY("libz.so.1", FUNCTIONS)

FUNCTIONS(LATE_CALL)
