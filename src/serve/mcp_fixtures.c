/* mcp_fixtures.c - what MCP's conformance suite wants to find. */
#include "serve/mcp.h"

bool mcp_fixture(struct request *r)
{
	(void)r;
	return false;
}
