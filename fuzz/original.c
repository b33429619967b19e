/* original.c - a request that a gateway asks about, a field a line and then the body: what is taken is an operation that
 * rules can read. */
#include "core/policy/original_request.h"
#include "core/policy/rule_set.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* "-": the header is not there. */
static struct str field(struct str *rest)
{
	struct str one = STR_NONE;

	str_cut(rest, '\n', &one);
	return str_is(one, "-") ? STR_NONE : one;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), out;
	struct arena arena = { 0 };
	struct fault why = { 0 };
	struct original_request r = { .method = field(&rest) };
	struct operation_view look;
	const struct json *operation;
	enum risk risk;

	r.target = field(&rest);
	r.host = field(&rest);
	r.original_uri = field(&rest);
	r.original_method = field(&rest);
	r.forwarded_uri = field(&rest);
	r.forwarded_method = field(&rest);
	r.forwarded_host = field(&rest);
	r.forwarded_proto = field(&rest);
	r.server = field(&rest);
	r.partial = field(&rest);
	r.body = rest;
	if (original_read(&r, &arena, &out, &why) == OK && out.len) {
		assert(json_read(out, NULL, &arena, &operation, &why) == OK);
		assert(operation_read(operation, "", &risk, &why) == OK);
		operation_view(
			&look, operation, NULL, STR("a"), STR_NONE, STR_NONE, &arena);
	}
	arena_done(&arena);
	return 0;
}
