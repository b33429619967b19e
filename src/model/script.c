/* script.c - the wire of providers that answer from a script: requests are written as Chat Completions, what a
 * script says to one is a stream of lines of our own. */
#include "model/inner.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/run/script.h"

enum { PIECE = 24, BAD_REQUEST = 400 };

/* ---- the request that is answered ---- */

/* A text, or parts with texts. */
static struct str words_of(const struct json *content, struct arena *arena)
{
	struct buf b = { 0 };

	if (!json_is(content, JSON_ARRAY)) return json_text(content);
	for (uint32_t i = 0; i < content->count; i++) {
		struct str text = json_text_of(&content->items[i], "text");

		if (b.len && text.len) buf_add_text(&b, "\n\n");
		buf_add(&b, text);
	}
	return buf_keep_done(&b, arena);
}

static struct str tool_of(const struct json *calls, struct str id)
{
	for (uint32_t i = 0; json_is(calls, JSON_ARRAY) && i < calls->count; i++)
		if (str_eq(json_text_of(&calls->items[i], "id"), id))
			return json_text_of(
				json_get(&calls->items[i], "function"), "name");
	return STR_NONE;
}

/* What came since the last reply, and a user's newest words. */
static void scene_see(
	struct script_scene *s, const struct json *messages, struct arena *arena)
{
	const struct json *calls = NULL;

	for (uint32_t i = 0; json_is(messages, JSON_ARRAY) && i < messages->count; i++) {
		const struct json *m = &messages->items[i];
		struct str role = json_text_of(m, "role");

		if (str_is(role, "user")) {
			s->text = words_of(json_get(m, "content"), arena);
		} else if (str_is(role, "assistant")) {
			calls = json_get(m, "tool_calls");
			s->tool = s->result = STR_NONE;
		} else if (str_is(role, "tool")) {
			s->tool = tool_of(calls, json_text_of(m, "tool_call_id"));
			s->result = words_of(json_get(m, "content"), arena);
		}
	}
}

/* ---- the stream ---- */

static void pieces_write(struct buf *out, const char *name, struct str text)
{
	while (text.len) {
		struct str piece = utf8_first(text, PIECE);
		struct json_writer w = { .out = out };

		buf_add_text(out, "data: ");
		jw_object(&w);
		jw_put_str(&w, name, piece);
		jw_object_end(&w);
		buf_add_text(out, "\n\n");
		text = str_from(text, piece.len);
	}
}

/* About as many as there are bytes, by three. */
static struct usage usage_guess(const struct script_entry *e, size_t asked)
{
	size_t said = e->say.len + e->think.len;

	for (size_t i = 0; i < e->calls_len; i++)
		said += e->calls[i].name.len + 8;
	return (struct usage){ .input = (int64_t)asked / 3 + 1,
		.output = (int64_t)said / 3 + 1,
		.reasoning = (int64_t)e->think.len / 3 };
}

static void entry_write(struct buf *out, const struct script_entry *e, struct usage usage,
	const struct script_scene *scene, struct arena *arena)
{
	struct json_writer w = { .out = out };

	pieces_write(out, "think", script_fill(e->think, scene, arena));
	pieces_write(out, "say", script_fill(e->say, scene, arena));
	for (size_t i = 0; i < e->calls_len; i++) {
		buf_add_text(out, "data: ");
		w = (struct json_writer){ .out = out };
		JW(&w, "{'call':%s,'arguments':", e->calls[i].name);
		e->calls[i].arguments ? jw_json(&w, e->calls[i].arguments)
				      : jw_str(&w, STR("{}"));
		jw_object_end(&w);
		buf_add_text(out, "\n\n");
	}
	buf_add_text(out, "data: ");
	w = (struct json_writer){ .out = out };
	JW(&w, "{'stop':%s,'usage':", str_of(script_stops[e->stop]));
	usage_write(&w, &usage);
	jw_object_end(&w);
	buf_add_text(out, "\n\n");
}

static void refusal_write(struct buf *out, struct str message)
{
	struct json_writer w = { .out = out };

	JW(&w, "{'error':{'message':%s}}", message);
}

void model_script_play(struct str provider, struct str request,
	struct script_scene *scene, struct arena *arena, struct model_played *out)
{
	const struct json *body = NULL, *asked = NULL;
	const struct script_entry *e;
	struct script script;
	struct usage usage;
	struct buf b = { .max = REPLY_TEXT_MAX };

	if (json_read(provider, NULL, arena, &body, NULL)) body = NULL;
	if (json_read(request, NULL, arena, &asked, NULL)) asked = NULL;
	scene_see(scene, json_get(asked, "messages"), arena);
	script_read(json_get(body, "script"), arena, &script);
	e = script_find(&script, scene);
	*out = (struct model_played){ .status = e && !e->fails ? 200 : BAD_REQUEST,
		.delay_ms = e ? e->delay_ms : 0 };
	if (!e) {
		refusal_write(&b, STR("no entry of the script fits"));
	} else if (e->fails) {
		out->status = (int)e->error.status;
		refusal_write(&b, e->error.message.len ? e->error.message
						       : STR("as the script says"));
	} else {
		usage = e->counts ? e->usage : usage_guess(e, request.len);
		entry_write(&b, e, usage, scene, arena);
	}
	out->bytes = buf_keep_done(&b, arena);
}

/* ---- the reply ---- */

static const struct model_ending endings[] = {
	{ "max_tokens", TROUBLE_CUT, false, MODEL_CUT },
	{ "refusal", TROUBLE_DECLINED, false, MODEL_DECLINED },
	{ 0 },
};

static void line_take(struct model_reader *r, struct str event, const struct json *data)
{
	const struct json *call = json_get(data, "call"), *arguments;
	struct model_part *p;

	(void)event;
	if (json_get(data, "error")) {
		reader_error(r, 200, data);
		return;
	}
	part_say(r, PART_THOUGHT, json_text_of(data, "think"));
	part_say(r, PART_TEXT, json_text_of(data, "say"));
	if (call && (p = part_call(r, -1, STR_NONE, json_text(call)))) {
		arguments = json_get(data, "arguments");
		if (json_is(arguments, JSON_OBJECT)) json_write(&p->text, arguments);
	}
	if (json_get(data, "usage")) usage_read(json_get(data, "usage"), &r->usage);
	reader_finish(r, json_text_of(data, "stop"), endings);
}

static void request_write(struct json_writer *w, const struct model_request *r,
	const struct utterance *said)
{
	wire_openai.write(w, r, said);
}

static void message_write(
	struct json_writer *w, const struct utterance *m, struct arena *arena)
{
	wire_openai.message(w, m, arena);
}

const struct wire wire_script = { .path = "",
	.key_header = "authorization: Bearer ",
	.message = message_write,
	.write = request_write,
	.take = line_take };
