/* result.c - asks written as tool results and as tasks. */
#include "mcp/result.h"

#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "dialect/dialect.h"

static const char next_get[] = "call get_answer with this ask_id";
static const char next_end[] =
	"end your turn now, you will be resumed with the answer; do not wait or ask again";

static const struct dialect *ask_dialect(const struct ask_json *whole)
{
	return dialect_find(json_text_of(whole->foreign, "dialect"));
}

static bool is_pending(const struct ask_json *whole)
{
	return whole->ask->status == ASK_PENDING;
}

/* The foreign reply as JSON; empty: none, or none yet. */
static struct str ask_reply(const struct ask_json *whole, struct arena *arena)
{
	const struct dialect *d = ask_dialect(whole);
	struct str reply = STR_NONE;

	if (d && dialect_from_ask(d, whole, false, arena, &reply, NULL)) return STR_NONE;
	return reply;
}

/* NULL: there is none. */
static const struct json *reply_read(struct str reply, struct arena *arena)
{
	const struct json *object;

	return reply.len && json_read(reply, &ask_limits, arena, &object, NULL) == OK
		       ? object
		       : NULL;
}

bool ask_has_reply(const struct ask_json *whole, struct arena *arena)
{
	return ask_reply(whole, arena).len > 0;
}

/* ---- the parts of a result ---- */

void text_result_write(struct json_writer *w, struct str text, bool error)
{
	JW(w, "'content':[{'type':'text','text':%s}],'isError':%j", text,
		json_bool(error));
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

static bool not_empty(const struct json *list)
{
	return json_is(list, JSON_ARRAY) && list->count;
}

static bool is_permission(const struct ask_json *whole)
{
	return str_is(json_text_of(whole->foreign, "dialect"), "permission");
}

static void next_write(struct json_writer *w, const struct ask_json *whole, unsigned how,
	struct arena *arena)
{
	jw_put_text(w, "next", how & RESULT_RESUMED ? next_end : next_get);
	if (whole->view->url.len)
		jw_put_str(w, "url", ask_url(whole->view->url, whole->ask->id, arena));
	/* Whoever takes the tool for a permission prompt looks at these two alone. */
	if ((how & RESULT_PROMPT) || is_permission(whole))
		JW(w, "'behavior':'deny','message':'Nobody has decided yet. Do not run it "
		      "now; ask again later, or call get_answer with the ask_id.'");
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

static struct str structured(const struct ask_json *whole, const struct json *reply,
	unsigned how, struct arena *arena)
{
	const struct json *repairs = json_get(whole->foreign, "repairs");
	const struct ask *a = whole->ask;
	struct json_writer w = { .out = &(struct buf){ 0 } };

	JW(&w, "{'status':%s,'ask_id':%s", str_of(ask_status_name(a->status)), a->id);
	reply_copy(&w, reply);
	if (is_pending(whole)) next_write(&w, whole, how, arena);
	if (whole->view->stopped.len) jw_put_raw(&w, "stopped", whole->view->stopped);
	if (is_pending(whole) && whole->view->expect.len)
		jw_put_raw(&w, "expect", whole->view->expect);
	if (!is_pending(whole)) show_json(&w, "answered_by", a->answered_by);
	if (!is_pending(whole) && !reply) show_json(&w, "answer", a->answer);
	if (not_empty(whole->replies)) jw_put_raw(&w, "replies", a->replies);
	if (not_empty(repairs)) jw_put_json(&w, "repairs", repairs);
	jw_object_end(&w);
	return buf_keep_done(w.out, arena);
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
	const struct ask_json *whole, struct str reply, struct arena *arena)
{
	const struct dialect *d = ask_dialect(whole);
	struct str text = d ? dialect_sum(d, whole, false, arena) : STR_NONE;
	struct buf b = { 0 };

	/* A permission prompt is read by a program. */
	if (is_permission(whole) && reply.len) return reply;
	if (!text.len) text = whole->summary;
	if (!text.len) text = str_of(ask_status_name(whole->ask->status));
	buf_add(&b, text);
	repairs_say(&b, json_get(whole->foreign, "repairs"));
	return buf_keep_done(&b, arena);
}

/* By the strict rules the result is a text and nothing beside it, for clients show their
 * model one of the two; and a dialog that nobody answered is an error. */
static bool strict_and_settled(const struct ask_json *whole)
{
	return json_is(json_get(whole->foreign, "strict"), JSON_TRUE) &&
	       !is_pending(whole);
}

void ask_result_write(struct json_writer *w, const struct ask_json *whole, unsigned how,
	struct arena *arena)
{
	struct str reply = ask_reply(whole, arena);
	const struct json *read = reply_read(reply, arena);
	struct str data = structured(whole, read, how, arena);
	struct str text = is_pending(whole) ? data : settled_text(whole, reply, arena);
	bool strict = strict_and_settled(whole);
	/* An error in the dialect's own words. */
	bool failed = json_is(json_get(read, "success"), JSON_FALSE) ||
		      (strict && !whole->answer);

	text_result_write(w, text, failed && !(how & RESULT_WITHDRAWN));
	if (how & RESULT_TASK)
		JW(w, "'_meta':{'io.modelcontextprotocol/related-task':{'taskId':%s}}",
			whole->ask->id);
	if (strict || (how & RESULT_PROMPT)) return;
	jw_put_raw(w, "structuredContent", data);
}

/* ---- tasks ---- */

const char *task_status(const struct ask *a)
{
	return a->status == ASK_PENDING	    ? "working"
	       : a->status == ASK_CANCELLED ? "cancelled"
					    : "completed";
}

void result_task_write(struct json_writer *w, const struct task_view *t,
	enum revision revision, int64_t poll_ms)
{
	bool now = revision >= REV_2026_07_28;

	JW(w, "'taskId':%s,'status':%s,'statusMessage':%?", t->id, str_of(t->status),
		t->message);
	show_time(w, "createdAt", t->created_ms);
	show_time(w, "lastUpdatedAt", t->updated_ms);
	jw_put_null(w, now ? "ttlMs" : "ttl");
	jw_put_int(w, now ? "pollIntervalMs" : "pollInterval", poll_ms);
}

void task_write(struct json_writer *w, const struct ask *a, const char *status,
	enum revision revision, int64_t poll_ms)
{
	const struct task_view t = { .id = a->id,
		.status = status,
		.message = a->status == ASK_PENDING ? STR("A person has been asked.")
						    : STR_NONE,
		.created_ms = a->created_ms,
		.updated_ms = a->settled_ms ? a->settled_ms : a->created_ms };

	result_task_write(w, &t, revision, poll_ms);
}

/* ---- lists ---- */

void ask_listed_write(
	struct json_writer *w, const struct ask_json *whole, struct arena *arena)
{
	const struct ask *a = whole->ask;

	JW(w, "{'ask_id':%s,'status':%s,'kind':%s", a->id,
		str_of(ask_status_name(a->status)), str_of(ask_kind_name(a->kind)));
	show_text(w, "title", json_text_of(whole->fixed, "title"));
	jw_put_str(w, "session", a->session);
	show_time(w, "created_at", a->created_ms);
	show_time(w, "expires_at", a->deadline_ms);
	show_time(w, "settled_at", a->settled_ms);
	JW(w, "'summary':%s,'url':%s,'questions':[", whole->summary,
		ask_url(whole->view->url, whole->ask->id, arena));
	for (uint32_t i = 0; whole->questions && i < whole->questions->count; i++)
		jw_json(w, json_get(&whole->questions->items[i], "text"));
	JW(w, "]}");
}
