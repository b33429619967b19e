/* rpc.c - reads and writes JSON-RPC 2.0 messages. */
#include "mcp/rpc.h"

#include "base/json_pattern.h"

#include <stdarg.h>
#include <stdio.h>

struct str rpc_id(const struct json *id, struct arena *arena)
{
	struct buf b = { .max = 1024 };
	struct str out = STR_NONE;

	if (!json_is(id, JSON_STRING) && !json_is(id, JSON_NUMBER)) return out;
	json_write(&b, id);
	if (!b.failed) out = arena_str(arena, buf_str(&b));
	buf_done(&b);
	return out;
}

bool rpc_read(const struct json *message, struct arena *arena, struct rpc *out)
{
	const struct json *method = json_get(message, "method");
	const struct json *id = json_get(message, "id");
	const struct json *params = json_get(message, "params");

	*out = (struct rpc){ .id = rpc_id(id, arena), .method = json_text(method) };
	if (!str_is(json_text_of(message, "jsonrpc"), "2.0")) return false;
	if (id && !out->id.len) return false;
	if (method) {
		out->kind = id ? RPC_REQUEST : RPC_NOTIFICATION;
		out->params = params;
		return out->method.len && (!params || json_is(params, JSON_OBJECT));
	}
	out->kind = RPC_RESPONSE;
	out->result = json_get(message, "result");
	return id && (out->result || json_get(message, "error"));
}

bool rpc_fail(
	struct rpc_fault *why, int status, enum rpc_code code, const char *format, ...)
{
	va_list args;

	why->status = status;
	why->code = code;
	va_start(args, format);
	vsnprintf(why->message, sizeof why->message, format, args);
	va_end(args);
	return false;
}

/* null where there is none */
static struct str id_or_null(struct str id)
{
	return id.len ? id : STR("null");
}

void rpc_result(struct json_writer *w, struct str id)
{
	JW(w, "{'jsonrpc':'2.0','id':%j,'result':{", id_or_null(id));
}

void rpc_end(struct json_writer *w)
{
	JW(w, "}}");
}

void rpc_error(struct json_writer *w, struct str id, const struct rpc_fault *why)
{
	JW(w, "{'jsonrpc':'2.0','id':%j,'error':{'code':", id_or_null(id));
	jw_int(w, why->code);
	JW(w, "'message':%s,'data':%j}}", str_of(why->message), why->data);
}

void rpc_call(struct json_writer *w, const char *method, struct str id)
{
	JW(w, "{'jsonrpc':'2.0','id':%j,'method':%s,'params':{", id, str_of(method));
}
