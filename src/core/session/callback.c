/* callback.c - the on_settled of a session. */
#include "core/session/callback.h"

#include "base/keep.h"

enum err callback_read(struct str on_settled, struct arena *arena, struct callback *out,
	struct fault *why)
{
	const struct json *json;
	enum err e = json_read(on_settled, NULL, arena, &json, why);

	if (e == ERR_MEMORY) return e;
	if (e) return fail(why, ERR_INTERNAL, "on_settled of a session is unreadable");
	out->webhook = json_text(json_get(json, "webhook"));
	out->resumer = json_text(json_get(json, "resumer"));
	return OK;
}

struct str callback_write(const struct callback *c, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };

	if (!c->webhook.len && !c->resumer.len) return STR_NONE;
	jw_object(&w);
	jw_put_some(&w, "webhook", c->webhook);
	jw_put_some(&w, "resumer", c->resumer);
	jw_object_end(&w);
	return buf_keep_done(&out, arena);
}
