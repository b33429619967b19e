/* mcp_listen.c */
#include "serve/mcp.h"

void mcp_listen(struct request *r)
{
	mcp_refuse_params(r, "not yet");
}

void mcp_listen_legacy(struct request *r)
{
	struct rpc_fault why = { 0 };

	rpc_fail(&why, 405, RPC_INVALID_REQUEST, "not yet");
	mcp_refuse(r, &why);
}
