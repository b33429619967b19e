/* rpc.h - JSON-RPC 2.0 messages, read and written. */
#ifndef MCP_RPC_H
#define MCP_RPC_H

#include "base/json.h"

enum rpc_kind { RPC_REQUEST, RPC_NOTIFICATION, RPC_RESPONSE };

enum rpc_code {
	RPC_PARSE_ERROR = -32700,
	RPC_INVALID_REQUEST = -32600,
	RPC_NO_METHOD = -32601,
	RPC_INVALID_PARAMS = -32602,
	RPC_INTERNAL = -32603,
	RPC_NOT_REACHED = -32000, /* ours: a server behind a bridge */
	RPC_NO_RESOURCE = -32002, /* before 2026-07-28 */
	RPC_HEADER_MISMATCH = -32020,
	RPC_NO_CAPABILITY = -32021,
	RPC_NO_VERSION = -32022,
};

struct rpc {
	enum rpc_kind kind;
	struct str id; /* as JSON: a number, or a string with its quotes; empty: none */
	struct str method;
	const struct json *params; /* NULL: none */
	const struct json *result; /* a response's; NULL: it is an error */
};

/* What is said to a message that cannot be served. { 0 } is ready. */
struct rpc_fault {
	int status; /* HTTP's */
	enum rpc_code code;
	char message[512];
	struct str data; /* JSON; empty: none */
};

/* False: no message of JSON-RPC 2.0. Its id is found even then, where there is one. */
bool rpc_read(const struct json *, struct arena *, struct rpc *out);
/* A string or a number as JSON: an id, a progress token. Empty: it is neither. */
struct str rpc_id(const struct json *, struct arena *);
/* Fills *why and returns false, so that it can be returned at once. */
bool rpc_fail(struct rpc_fault *why, int status, enum rpc_code, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* {"jsonrpc":"2.0","id":…,"result": and the result's object, left open. */
void rpc_result(struct json_writer *, struct str id);
void rpc_error(struct json_writer *, struct str id, const struct rpc_fault *);
/* {"jsonrpc":"2.0","method":…,"params":{…}}, with an id when it is a request; the object
 * of params is left open. */
void rpc_call(struct json_writer *, const char *method, struct str id);
void rpc_end(struct json_writer *); /* of either */

#endif
