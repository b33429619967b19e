/* script.c - a script up to the first line end, and behind it the request that it answers: what it says is read
 * to its end by the reader of its wire, and what is no script says nothing. */
#include "core/run/script.h"
#include "core/run/provider.h"
#include "model/model.h"

#include <assert.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct str rest = str_make((const char *)data, size), line = STR_NONE;
	struct arena arena = { .max = 1 << 28 };
	struct script_scene scene = { .agent = STR("main"), .attempt = 1 };
	struct model_played played;
	struct model_reader *r;
	struct model_reply reply;
	struct fault why = { 0 };
	const struct json *body;
	struct str kept;

	str_cut(&rest, '\n', &line);
	if (json_read(line, NULL, &arena, &body, NULL) == OK &&
		provider_read(body, STR_NONE, NULL, &arena, &kept, NULL, &why) == OK) {
		model_script_play(kept, rest, &scene, &arena, &played);
		r = model_reader_new(&(struct model_setup){ .wire = WIRE_SCRIPT });
		assert(r && (played.status == 200 || played.status >= 400));
		model_reader_feed(r, played.status, played.bytes);
		model_reader_end(r,
			&(struct model_end){ .status = played.status,
				.whole = true,
				.retry_after_ms = -1 },
			&reply);
		assert(played.status == 200 || reply.trouble != TROUBLE_NONE);
		assert(reply.trouble != TROUBLE_UNREACHABLE);
		model_reader_free(r);
	}
	arena_done(&arena);
	return 0;
}
