/* a2a.c - the Agent2Agent protocol: a task that needs input, and the message that gives
 * it. Both the shape of 1.0 and that before it, told by the name of the state. */
#include "base/keep.h"
#include "dialect/inner.h"

/* The task, or the event about one: as it is, or in the reply of a server that sent it. */
static const struct json *told_of(const struct json *request)
{
	static const char *const around[] = { "result", "task", "statusUpdate" };

	for (size_t i = 0; i < sizeof around / sizeof *around; i++) {
		const struct json *inner = json_get(request, around[i]);

		if (json_is(inner, JSON_OBJECT)) request = inner;
	}
	return request;
}

static const struct json *status_of(const struct json *request)
{
	return json_get(told_of(request), "status");
}

static bool is_old(const struct json *request)
{
	return !str_starts(json_text_of(status_of(request), "state"), "TASK_STATE_");
}

/* Texts make the question; data is shown beside it. */
static struct str parts_read(struct inbound *in, const struct json *parts)
{
	struct buf text = { 0 };

	for (uint32_t i = 0; json_is(parts, JSON_ARRAY) && i < parts->count; i++) {
		struct str said = json_text_of(&parts->items[i], "text");
		const struct json *data = json_get(&parts->items[i], "data");

		if (said.len && text.len) buf_add_text(&text, "\n\n");
		buf_add(&text, said);
		if (!data) continue;
		if (in->overflow.len) buf_add_char(&in->overflow, '\n');
		json_write(&in->overflow, data);
	}
	return buf_keep_done(&text, in->arena);
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("status"));
	const struct json *message = json_get(status_of(in->request), "message");
	struct str text, state = json_text_of(status_of(in->request), "state");

	if (!str_ends(state, "INPUT_REQUIRED") && !str_is(state, "input-required")) {
		wrong(&in->check, &at, "must have the state TASK_STATE_INPUT_REQUIRED");
		return;
	}
	text = parts_read(in, json_get(message, "parts"));
	if (text_blank(text)) text = STR("The agent needs your input.");
	question_put(in, &at, &(struct asked){ .text = text, .type = "text" });
}

/* ---- out ---- */

/* A task has its id, an event about it the task's. */
static struct str task_id(const struct json *told)
{
	struct str id = json_text_of(told, "taskId");

	return id.len ? id : json_text_of(told, "id");
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const struct json *told = told_of(o->request);
	bool old = o->request && is_old(o->request);
	struct said s = said_at(o, 0);
	struct str words = outcome_words(o);
	struct str text = answered(o) && s.text.len ? s.text : words;

	if (!o->request && answered(o)) text = o->whole->summary;
	JW(w, "'message':{'kind':%?,'messageId':%s,'role':%s,'taskId':%?,'contextId':%?",
		old ? STR("message") : STR_NONE,
		arena_print(o->arena, "msg-%.*s", STR_ARGS(o->ask->id)),
		old ? STR("user") : STR("ROLE_USER"), task_id(told),
		json_text_of(told, "contextId"));
	JW(w, "'parts':[{'kind':%?,'text':%s}]", old ? STR("text") : STR_NONE, text);
	if (words.len)
		JW(w, "'metadata':{'status':%s,'message':%s}",
			str_of(ask_status_name(o->ask->status)), words);
	jw_object_end(w);
}

const struct dialect dialect_a2a = {
	.name = "a2a",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
