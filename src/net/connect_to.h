/* connect_to.h - whom a connection may go to, where nothing else decides it: for addresses that are
 * settings of the operator's. */
#ifndef NET_CONNECT_TO_H
#define NET_CONNECT_TO_H

#include <stdbool.h>
#include <stdint.h>

/* IPv6; an IPv4 address is mapped. `ctx` is not read. */
bool connect_to_any(void *ctx, const uint8_t address[16]);
bool connect_to_here(void *ctx, const uint8_t address[16]); /* this machine alone */

#endif
