/* result.c - asks written as tool results and as tasks. */
#include "mcp/result.h"

#include "base/keep.h"
#include "core/body.h"
#include "dialect/dialect.h"

static const char next_get[] = "call get_answer with this ask_id";
static const char next_end[] =
	"end your turn now, you will be resumed with the answer; do not wait or ask again";

bool ask_is_pending(const struct json *ask)
{
	return str_is(json_text(json_get(ask, "status")), "pending");
}

static const struct dialect *ask_dialect(const struct json *ask)
{
	return dialect_find(json_text(json_get(json_get(ask, "foreign"), "dialect")));
}

/* The foreign reply as JSON; empty: none, or none yet. */
static struct str ask_reply(const struct json *ask, struct arena *arena)
{
	const struct dialect *d = ask_dialect(ask);
	struct str reply = STR_NONE;

	if (d && dialect_from_ask(d, ask, false, arena, &reply, NULL)) return STR_NONE;
	return reply;
}

/* NULL: there is none. */
static const struct json *reply_read(struct str reply, struct arena *arena)
{
	const struct json *object;

	return reply.len && shown_read(reply, arena, &object, NULL) == OK ? object : NULL;
}

bool ask_has_news(const struct json *ask, struct arena *arena)
{
	return !ask_is_pending(ask) || ask_reply(ask, arena).len > 0;
}

/* ---- the parts of a result ---- */

static void content_write(struct json_writer *w, struct str text)
{
	jw_put_array(w, "content");
	jw_object(w);
	jw_put_text(w, "type", "text");
	jw_put_str(w, "text", text);
	jw_object_end(w);
	jw_array_end(w);
}

void text_result_write(struct json_writer *w, struct str text, bool error)
{
	content_write(w, text);
	jw_put_bool(w, "isError", error);
}

void data_result_write(struct json_writer *w, struct str text, struct str data)
{
	text_result_write(w, text.len ? text : data, false);
	jw_put_raw(w, "structuredContent", data);
}

struct str fault_text(const struct fault *why, struct arena *arena)
{
	struct buf b = { .max = 8192 };

	if (why->items_len)
		buf_add_text(&b, "Not asked. Put this right and call again:");
	else
		buf_add_text(&b, why->detail);
	for (int i = 0; i < why->items_len; i++)
		buf_print(&b, "\n- %s%s%s", why->items[i].pointer,
			why->items[i].pointer[0] ? ": " : "", why->items[i].detail);
	if (why->retry_after_s)
		buf_print(&b, "; try again in %lld s", (long long)why->retry_after_s);
	return buf_keep_done(&b, arena);
}

static void copy_member(struct json_writer *w, const struct json *ask, const char *name)
{
	jw_put_json(w, name, json_get(ask, name));
}

static bool not_empty(const struct json *list)
{
	return json_is(list, JSON_ARRAY) && list->count;
}

static bool is_permission(const struct json *ask)
{
	return str_is(
		json_text(json_get(json_get(ask, "foreign"), "dialect")), "permission");
}

static void next_write(struct json_writer *w, const struct json *ask, bool resumed)
{
	jw_put_text(w, "next", resumed ? next_end : next_get);
	if (json_get(ask, "url")) copy_member(w, ask, "url");
	/* Whoever takes the tool for a permission prompt looks at these two alone. */
	if (!is_permission(ask)) return;
	jw_put_text(w, "behavior", "deny");
	jw_put_text(w, "message",
		"Nobody has decided yet. Do not run it now; ask again later, or call "
		"get_answer with the ask_id.");
}

/* The dialect's own members; its status is said in our words already. */
static void reply_copy(struct json_writer *w, const struct json *object)
{
	for (uint32_t i = 0; json_is(object, JSON_OBJECT) && i < object->count; i++) {
		const struct json_member *m = &object->members[i];

		if (str_is(m->name, "status") || str_is(m->name, "ask_id")) continue;
		jw_name(w, m->name);
		jw_json(w, &m->value);
	}
}

static struct str structured(const struct json *ask, const struct json *reply,
	bool resumed, struct arena *arena)
{
	const struct json *repairs = json_get(json_get(ask, "foreign"), "repairs");
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_put_json(&w, "status", json_get(ask, "status"));
	jw_put_json(&w, "ask_id", json_get(ask, "id"));
	reply_copy(&w, reply);
	if (ask_is_pending(ask)) next_write(&w, ask, resumed);
	if (json_get(ask, "stopped")) copy_member(&w, ask, "stopped");
	if (!ask_is_pending(ask)) copy_member(&w, ask, "answered_by");
	if (!ask_is_pending(ask) && !reply) copy_member(&w, ask, "answer");
	if (not_empty(json_get(ask, "replies"))) copy_member(&w, ask, "replies");
	if (not_empty(repairs)) jw_put_json(&w, "repairs", repairs);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

/* ---- the text that a model reads ---- */

static void repairs_say(struct buf *b, const struct json *repairs)
{
	if (!not_empty(repairs)) return;
	buf_add_text(b, "\n\nThe call was repaired:");
	for (uint32_t i = 0; i < repairs->count; i++) {
		struct str one = json_text(&repairs->items[i]);

		buf_print(b, "\n- %.*s", STR_ARGS(one));
	}
}

static struct str settled_text(
	const struct json *ask, struct str reply, struct arena *arena)
{
	const struct dialect *d = ask_dialect(ask);
	struct str text = d ? dialect_sum(d, ask, false, arena) : STR_NONE;
	struct buf b = { 0 };

	/* A permission prompt is read by a program. */
	if (is_permission(ask) && reply.len) return reply;
	if (!text.len) text = json_text(json_get(ask, "summary"));
	if (!text.len) text = json_text(json_get(ask, "status"));
	buf_add(&b, text);
	repairs_say(&b, json_get(json_get(ask, "foreign"), "repairs"));
	return buf_keep_done(&b, arena);
}

/* By the strict rules the result is a text and nothing beside it, for clients show their
 * model one of the two; and a dialog that nobody answered is an error. */
static bool strict_and_settled(const struct json *ask)
{
	return json_is(json_get(json_get(ask, "foreign"), "strict"), JSON_TRUE) &&
	       !ask_is_pending(ask);
}

static void related_task_write(struct json_writer *w, struct str ask)
{
	jw_put_object(w, "_meta");
	jw_put_object(w, "io.modelcontextprotocol/related-task");
	jw_put_str(w, "taskId", ask);
	jw_object_end(w);
	jw_object_end(w);
}

void ask_result_write(
	struct json_writer *w, const struct json *ask, unsigned how, struct arena *arena)
{
	struct str reply = ask_reply(ask, arena);
	const struct json *read = reply_read(reply, arena);
	struct str data = structured(ask, read, how & RESULT_RESUMED, arena);
	struct str text = ask_is_pending(ask) ? data : settled_text(ask, reply, arena);
	bool strict = strict_and_settled(ask);
	bool unanswered = !json_is(json_get(ask, "answer"), JSON_OBJECT);
	/* An error in the dialect's own words. */
	bool failed =
		json_is(json_get(read, "success"), JSON_FALSE) || (strict && unanswered);

	text_result_write(w, text, failed && !(how & RESULT_WITHDRAWN));
	if (how & RESULT_TASK) related_task_write(w, json_text(json_get(ask, "id")));
	if (strict || (how & RESULT_PROMPT)) return;
	jw_put_raw(w, "structuredContent", data);
}

/* ---- tasks ---- */

const char *task_status(const struct json *ask)
{
	struct str status = json_text(json_get(ask, "status"));

	return str_is(status, "pending")     ? "working"
	       : str_is(status, "cancelled") ? "cancelled"
					     : "completed";
}

void task_write(struct json_writer *w, const struct json *ask, const char *status,
	enum revision revision, int64_t poll_ms)
{
	const struct json *settled = json_get(ask, "settled_at");
	bool now = revision >= REV_2026_07_28;

	jw_put_json(w, "taskId", json_get(ask, "id"));
	jw_put_text(w, "status", status);
	if (ask_is_pending(ask))
		jw_put_text(w, "statusMessage", "A person has been asked.");
	jw_put_json(w, "createdAt", json_get(ask, "created_at"));
	jw_put_json(w, "lastUpdatedAt",
		json_is(settled, JSON_STRING) ? settled : json_get(ask, "created_at"));
	jw_key(w, now ? "ttlMs" : "ttl");
	jw_null(w);
	jw_put_int(w, now ? "pollIntervalMs" : "pollInterval", poll_ms);
}

/* ---- lists ---- */

static void listed_write(struct json_writer *w, const struct json *ask)
{
	static const char *const kept[] = { "status", "kind", "title", "session",
		"created_at", "expires_at", "settled_at", "summary", "url" };

	jw_object(w);
	jw_put_json(w, "ask_id", json_get(ask, "id"));
	for (size_t i = 0; i < sizeof kept / sizeof *kept; i++)
		copy_member(w, ask, kept[i]);
	jw_put_array(w, "questions");
	for (uint32_t i = 0; i < json_get(ask, "questions")->count; i++)
		jw_json(w, json_get(&json_get(ask, "questions")->items[i], "text"));
	jw_array_end(w);
	jw_object_end(w);
}

void ask_list_write(struct json_writer *w, const struct json *page)
{
	const struct json *items = json_get(page, "items");

	jw_object(w);
	jw_put_array(w, "asks");
	for (uint32_t i = 0; json_is(items, JSON_ARRAY) && i < items->count; i++)
		listed_write(w, &items->items[i]);
	jw_array_end(w);
	copy_member(w, page, "next_cursor");
	jw_object_end(w);
}
