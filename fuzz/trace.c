/* trace.c - traceparent and tracestate, the first line and the rest: what is kept is JSON and names a trace,
 * and what is passed on of it is read again, with the same trace. */
#include "core/shared/trace.h"
#include "base/json.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str state = str_make((const char *)data, size), parent, kept;
	struct arena arena = { 0 };
	const struct json *json;
	struct trace_on on;

	str_cut(&state, '\n', &parent);
	kept = trace_read(parent, state, &arena);
	if (kept.len) {
		on = trace_pass(kept, parent, &arena);
		assert(json_read(kept, NULL, &arena, &json, NULL) == OK);
		assert(on.parent.len == TRACE_PARENT_LEN);
		assert(str_eq(trace_id(kept),
			trace_id(trace_read(on.parent, on.state, &arena))));
		assert(str_eq(on.state, json_text_of(json, "tracestate")));
	}
	arena_done(&arena);
	return 0;
}
