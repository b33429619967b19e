/* connect_to.c - answers for struct outbound_gate. */
#include "net/connect_to.h"

#include <string.h>

bool connect_to_any(void *ctx, const uint8_t address[16])
{
	(void)ctx;
	(void)address;
	return true;
}

bool connect_to_here(void *ctx, const uint8_t address[16])
{
	static const uint8_t six[16] = { [15] = 1 };
	static const uint8_t four[13] = { [10] = 0xff, [11] = 0xff, [12] = 127 };

	(void)ctx;
	return memcmp(address, six, sizeof six) == 0 ||
	       memcmp(address, four, sizeof four) == 0;
}
