/* ag_ui.c - AG-UI's interrupts: a run that ended to ask, and the entries that resume it.
 *
 * An interrupt asks by its responseSchema. Without one, a tool call or a confirmation is
 * an approval, answered by {"approved": …}, and all else a text, {"text": …}. */
#include "base/clock.h"
#include "base/keep.h"
#include "dialect/inner.h"

enum { TIMEOUT_MIN_MS = 1000 };

/* What a server takes unless it is told otherwise. */
#define TIMEOUT_MAX_MS (INT64_C(30) * 86400 * 1000)

/* The list itself, in the request, or in the outcome of a RUN_FINISHED event. */
static const struct json *interrupts_of(struct arena *arena, const struct json *request)
{
	const struct json *list = json_get(request, "interrupts");

	if (!list) list = json_get(json_get(request, "outcome"), "interrupts");
	return list_of(arena, list ? list : request);
}

enum way { BY_SCHEMA, BY_APPROVAL, BY_TEXT };

static enum way way_of(const struct json *interrupt)
{
	struct str reason = json_text_of(interrupt, "reason");

	if (json_is(json_get(interrupt, "responseSchema"), JSON_OBJECT)) return BY_SCHEMA;
	if (json_get(interrupt, "toolCallId") || str_is(reason, "tool_call") ||
		str_is(reason, "confirmation") || str_ends(reason, "approval"))
		return BY_APPROVAL;
	return BY_TEXT;
}

/* Its message, or what the tool said that suspended itself: adapters keep that in the
 * metadata, below their own name. */
static struct str text_of(struct arena *arena, const struct json *interrupt)
{
	struct str message = json_text_of(interrupt, "message");
	const struct json *metadata = json_get(interrupt, "metadata");

	for (uint32_t i = 0; text_blank(message) && json_is(metadata, JSON_OBJECT) &&
			     i < metadata->count;
		i++)
		message = suspend_words(
			arena, json_get(&metadata->members[i].value, "suspendPayload"));
	return text_blank(message) ? json_text_of(interrupt, "reason") : message;
}

/* ---- in ---- */

static void interrupt_in(
	struct inbound *in, const struct json_place *at, const struct json *it)
{
	struct json_place schema = place_member(at, STR("responseSchema"));
	enum way way = way_of(it);

	if (text_blank(json_text_of(it, "id")))
		wrong_member(&in->check, at, STR("id"), "required");
	if (way == BY_SCHEMA) {
		const struct json *asked = json_get(it, "responseSchema");

		/* A schema without members still has a person to say that it is done. */
		if (!schema_put(in, &schema, asked, text_of(in->arena, it), false))
			question_put(in, at,
				&(struct asked){ .text = text_of(in->arena, it),
					.type = "boolean" });
		return;
	}
	question_put(in, at,
		&(struct asked){
			.text = text_of(in->arena, it),
			.type = way == BY_APPROVAL ? "approval" : "text",
		});
}

/* The first of the instants after which an answer is stale. */
static int64_t timeout_of(
	struct inbound *in, const struct json_place *at, const struct json *list)
{
	int64_t first = 0;

	for (uint32_t i = 0; i < list->count; i++) {
		struct str text = json_text_of(&list->items[i], "expiresAt");
		struct json_place item = place_item(at, i);
		int64_t ms;

		if (!text.len) continue;
		if (!time_read(text, &ms))
			repair(in, &item, "left out", "expiresAt must be an instant");
		else if (!first || ms < first)
			first = ms;
	}
	if (!first) return 0;
	first -= in->now_ms;
	if (first > TIMEOUT_MAX_MS) {
		repair(in, at, "30 days were taken", "expiresAt is too far away");
		first = TIMEOUT_MAX_MS;
	}
	return first < TIMEOUT_MIN_MS ? TIMEOUT_MIN_MS : first;
}

/* The words of those that are asked by their schema's members. */
static void about_add(struct arena *arena, struct buf *b, const struct json *it)
{
	if (way_of(it) != BY_SCHEMA || text_blank(text_of(arena, it))) return;
	if (b->len) buf_add_text(b, "\n\n");
	buf_add(b, text_of(arena, it));
}

static void to_ask(struct inbound *in)
{
	struct json_place root = { 0 }, at = place_member(&root, STR("interrupts"));
	const struct json *list = interrupts_of(in->arena, in->request);
	struct buf about = { 0 };
	bool approval = false;
	int64_t timeout_ms;

	if (!list || !list->count) {
		wrong(&in->check, &at, "must have interrupts");
		return;
	}
	for (uint32_t i = 0; i < list->count; i++) {
		approval |= way_of(&list->items[i]) == BY_APPROVAL;
		about_add(in->arena, &about, &list->items[i]);
	}
	in->kind = approval ? "approval" : "blocking";
	about_put(in, buf_keep_done(&about, in->arena));
	for (uint32_t i = 0; i < list->count; i++) {
		struct json_place item = place_item(&at, i);

		interrupt_in(in, &item, &list->items[i]);
	}
	timeout_ms = timeout_of(in, &at, list);
	if (timeout_ms) timeout_put(in, timeout_ms);
}

/* ---- out ---- */

static void approval_write(struct json_writer *w, const struct verdict *v)
{
	JW(w, "{'approved':%j", json_bool(v->allow));
	if (v->arguments) jw_put_json(w, "editedArgs", v->arguments);
	JW(w, "'reason':%?}", v->own);
}

/* The payload of an interrupt that was answered, from the question *next on. */
static void payload_write(struct foreign_reply *o, const struct json *it, size_t *next)
{
	struct json_writer *w = &o->reply;
	const struct json *schema = json_get(it, "responseSchema");
	struct said s = said_at(o, *next);
	struct verdict v = verdict_said(o, &s);

	if (way_of(it) == BY_SCHEMA && !schema_empty(schema)) {
		schema_answer(o, schema, next, w);
		return;
	}
	++*next;
	if (way_of(it) == BY_APPROVAL)
		approval_write(w, &v);
	else if (way_of(it) == BY_SCHEMA)
		jw_raw(w, STR("{}"));
	else
		JW(w, "{'text':%?}", s.text);
}

static void entry_write(struct foreign_reply *o, const struct json *it, size_t *next)
{
	struct json_writer *w = &o->reply;
	bool confirmation =
		way_of(it) == BY_SCHEMA && schema_empty(json_get(it, "responseSchema"));
	bool refused = confirmation && !json_is(said_at(o, *next).value, JSON_TRUE);

	JW(w, "{'interruptId':%s,'status':%s", json_text_of(it, "id"),
		answered(o) && !refused ? STR("resolved") : STR("cancelled"));
	if (answered(o) && refused) {
		++*next;
	} else if (answered(o)) {
		jw_key(w, "payload");
		payload_write(o, it, next);
	}
	jw_object_end(w);
}

/* The reply for an ask that was made in another dialect: one entry, named by the ask. */
static void other_write(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	struct verdict v = verdict_of(o);

	JW(w, "{'interruptId':%s,'status':%s", o->ask->id,
		answered(o) ? STR("resolved") : STR("cancelled"));
	if (answered(o)) {
		jw_key(w, "payload");
		if (o->ask->kind == ASK_APPROVAL)
			approval_write(w, &v);
		else
			jw_json(w, o->whole->answer);
	}
	jw_object_end(w);
}

static void from_ask(struct foreign_reply *o)
{
	struct json_writer *w = &o->reply;
	const struct json *list = o->request ? interrupts_of(o->arena, o->request) : NULL;
	size_t next = 0;

	jw_put_array(w, "resume");
	for (uint32_t i = 0; list && i < list->count; i++)
		entry_write(o, &list->items[i], &next);
	if (!list) other_write(o);
	jw_array_end(w);
}

const struct dialect dialect_ag_ui = {
	.name = "ag_ui",
	.to_ask = to_ask,
	.from_ask = from_ask,
};
