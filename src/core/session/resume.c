/* resume.c - what was asked, what came of it and what was written beside it, as a text for a
 * model: ids, the operation with the arguments as approved, reasons, threads, late answers. */
#include "core/session/resume.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"

/* The parts of one settled ask, beside all open ones, fit into RESUME_MAX: the newest
 * is always there. */
enum {
	QUESTIONS_BYTES = 16 * 1024,
	ARGUMENTS_BYTES = 64 * 1024,
	ARGUMENTS_OPEN_BYTES = 16 * 1024, /* of an open ask: nothing was decided yet */
	SUMMARY_BYTES = 40 * 1024,
	THREAD_BYTES = 24 * 1024,
	OPEN_BYTES = 72 * 1024, /* all open asks */
	FRAME_BYTES = 8 * 1024, /* headings, the session's title, numbers */
};

static void cut_note(struct buf *out, struct str id)
{
	buf_print(out, " … (cut; GET /v1/asks/%.*s has all of it)", STR_ARGS(id));
}

/* As much of the text as fits, on one line; it says where the rest is. */
static void cut_add(struct buf *out, struct str text, size_t max, struct str id)
{
	struct str kept = utf8_fit(text, max);

	text_flatten(out, kept);
	if (kept.len < text.len) cut_note(out, id);
}

/* ---- who ---- */

/* A default or a policy never reads like a person's word. */
static void decider_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	const struct json *by = NULL;

	if (!a->answered_by.len || json_read(a->answered_by, NULL, arena, &by, NULL))
		return;
	struct str kind = json_text(json_get(by, "kind"));
	struct str name = json_text(json_get(by, "name"));
	if (str_is(kind, "policy"))
		buf_add(out, STR(" by a policy, not by a person"));
	else if (str_is(kind, "human"))
		buf_add(out, STR(" by a person"));
	if (!name.len) return;
	buf_add(out, STR(" ("));
	text_flatten(out, name);
	buf_add_char(out, ')');
}

/* ---- what came of it ---- */

static void reason_write(struct buf *out, struct str reason)
{
	if (reason.len) {
		buf_add(out, STR(": "));
		text_flatten(out, reason);
	}
	buf_add_char(out, '\n');
}

/* Its lines stay lines: each is an answer. */
static void summary_write(struct buf *out, const struct ask *a)
{
	struct str kept = utf8_fit(a->summary, SUMMARY_BYTES);

	buf_add(out, STR(":\n"));
	buf_add(out, kept);
	if (kept.len < a->summary.len) cut_note(out, a->id);
	buf_add_char(out, '\n');
	if (!a->revoked.len) return;
	ask_sum_revoked(out, a);
	buf_add_char(out, '\n');
}

static void expiry_write(struct buf *out, const struct ask *a)
{
	buf_add(out, STR("Nobody answered before the deadline"));
	if (a->answer.len) {
		buf_add(out, STR("; the default, no person's decision, counts"));
		summary_write(out, a);
		return;
	}
	if (a->kind == ASK_APPROVAL) buf_add(out, STR("; that counts as rejected"));
	buf_add_char(out, '\n');
}

static void outcome_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	switch (a->status) {
	case ASK_PENDING: break;
	case ASK_ANSWERED:
		buf_add(out, STR("Answered"));
		decider_write(out, a, arena);
		summary_write(out, a);
		break;
	case ASK_SKIPPED:
		buf_add(out, STR("Skipped"));
		decider_write(out, a, arena);
		reason_write(out, a->reason);
		break;
	case ASK_CANCELLED:
		buf_add(out, STR("Cancelled, without an answer"));
		reason_write(out, a->reason);
		break;
	case ASK_EXPIRED: expiry_write(out, a); break;
	}
}

/* ---- what was asked ---- */

/* What the person made of the operation's arguments; NULL: nothing. */
static const struct json *edited_arguments(const struct ask *a, struct arena *arena)
{
	const struct json *answer = NULL;

	if (!a->answer.len || json_read(a->answer, NULL, arena, &answer, NULL) ||
		!json_is(answer, JSON_OBJECT))
		return NULL;
	for (uint32_t i = 0; i < answer->count; i++) {
		const struct json *edited =
			json_get(&answer->members[i].value, "arguments");

		if (edited) return edited;
	}
	return NULL;
}

static void operation_add(struct buf *out, const struct ask *a,
	const struct json *operation, struct arena *arena)
{
	struct str name = json_text(json_get(operation, "name"));
	const struct json *edited = edited_arguments(a, arena);
	const struct json *arguments = edited ? edited : json_get(operation, "arguments");
	struct buf json = { 0 };

	if (!name.len) return;
	buf_add(out, STR("Operation: "));
	text_flatten(out, name);
	buf_add_char(out, '\n');
	if (arguments) {
		json_write(&json, arguments);
		if (json.failed) arena->failed = true;
		buf_add_text(out,
			edited ? "Arguments, as a person edited them: " : "Arguments: ");
		cut_add(out, buf_str(&json),
			a->status == ASK_PENDING ? ARGUMENTS_OPEN_BYTES : ARGUMENTS_BYTES,
			a->id);
		buf_add_char(out, '\n');
		buf_done(&json);
	}
	if (a->approved_digest.len && !a->revoked.len)
		buf_print(out, "Approved: %.*s%s\n", STR_ARGS(a->approved_digest),
			a->used_ms ? ", and used already" : "");
}

static void asked_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	struct ask_parts parts;
	size_t start = out->len;

	if (ask_parts(a, arena, &parts, NULL)) return;
	if (parts.title.len) {
		text_flatten(out, parts.title);
		buf_add_char(out, '\n');
	}
	for (size_t i = 0; i < parts.questions_len; i++) {
		size_t used = out->len - start;

		if (str_eq(parts.questions[i].text, parts.title)) continue;
		cut_add(out, parts.questions[i].text,
			used < QUESTIONS_BYTES ? QUESTIONS_BYTES - used : 0, a->id);
		buf_add_char(out, '\n');
		if (used >= QUESTIONS_BYTES) break;
	}
	buf_print(out, "Id: %.*s\n", STR_ARGS(a->id));
	operation_add(out, a, parts.operation, arena);
}

/* ---- its thread ---- */

static void message_write(struct buf *out, const struct json *reply, struct str id)
{
	const struct json *by = json_get(reply, "by");
	struct str name = json_text(json_get(by, "name"));
	bool agent = str_is(json_text(json_get(by, "kind")), "agent");

	buf_add_text(out, agent ? "- you" : "- a person");
	if (name.len && !agent) {
		buf_add(out, STR(" ("));
		text_flatten(out, name);
		buf_add_char(out, ')');
	}
	buf_print(out, ", %.*s: ", STR_ARGS(json_text(json_get(reply, "at"))));
	cut_add(out, json_text(json_get(reply, "text")), THREAD_BYTES / 2, id);
	buf_add_char(out, '\n');
}

/* How many of the oldest messages do not fit. */
static uint32_t thread_skip(const struct json *replies)
{
	uint32_t skip = replies->count;
	size_t used = 0;

	while (skip) {
		const struct json *r = &replies->items[skip - 1];
		size_t size = json_text(json_get(r, "text")).len +
			      json_text(json_get(json_get(r, "by"), "name")).len + 64;

		if (size > THREAD_BYTES / 2) size = THREAD_BYTES / 2;
		if (used + size > THREAD_BYTES) break;
		used += size;
		skip--;
	}
	return skip;
}

/* What came after the ask was settled is a late answer: it stands apart. */
static void thread_write(struct buf *out, const struct ask *a, struct arena *arena)
{
	const struct json *replies = NULL;
	char settled[TIME_SIZE];
	bool late = false;

	if (a->replies.len <= strlen("[]") ||
		json_read(a->replies, NULL, arena, &replies, NULL) ||
		!json_is(replies, JSON_ARRAY))
		return;
	time_write(a->settled_ms, settled);
	uint32_t skip = thread_skip(replies);
	buf_add(out, STR("Thread:\n"));
	if (skip)
		buf_print(out, "(%u older messages are left out; GET /v1/asks/%.*s)\n",
			skip, STR_ARGS(a->id));
	for (uint32_t i = skip; i < replies->count; i++) {
		const struct json *r = &replies->items[i];

		if (!late && a->settled_ms &&
			str_cmp(json_text(json_get(r, "at")), str_of(settled)) > 0) {
			late = true;
			buf_add(out, STR("Late answer, after the deadline:\n"));
		}
		message_write(out, r, a->id);
	}
}

/* ---- entries ---- */

static void entry_write(struct buf *out, const struct ask *a, struct arena *scratch)
{
	buf_print(out, "[%s] ", ask_kind_name(a->kind));
	asked_write(out, a, scratch);
	outcome_write(out, a, scratch);
	thread_write(out, a, scratch);
}

bool resume_add(struct resume *r, const struct ask *a)
{
	bool open = a->status == ASK_PENDING;
	size_t max = open ? OPEN_BYTES : RESUME_MAX - FRAME_BYTES;
	struct resume_entry **first = open ? &r->open : &r->settled, *entry;
	struct arena scratch = { 0 };
	struct buf text = { 0 };
	bool fits;

	entry_write(&text, a, &scratch);
	if (text.failed || scratch.failed) r->arena->failed = true;
	arena_done(&scratch);
	fits = !r->arena->failed && r->used + text.len <= max;
	if (!fits) r->full = true;
	entry = fits ? ARENA_NEW(r->arena, struct resume_entry) : NULL;
	if (entry) {
		entry->text = arena_str(r->arena, buf_str(&text));
		entry->next = *first;
		*first = entry;
		r->used += text.len + 16; /* with its number */
		*(open ? &r->open_len : &r->settled_len) += 1;
	}
	buf_done(&text);
	return entry && !r->arena->failed;
}

static void part_write(struct buf *out, const char *heading, const struct resume_entry *e,
	int64_t left_out)
{
	size_t n = 0;

	if (!e) return;
	buf_print(out, "\n%s", heading);
	if (left_out > 0)
		buf_print(out, " (%lld older ones are left out)", (long long)left_out);
	buf_add(out, STR(":\n"));
	for (; e; e = e->next) {
		buf_print(out, "\n%zu. ", ++n);
		buf_add(out, e->text);
	}
}

struct str resume_text(const struct resume *r, const struct session *s)
{
	int64_t open = s->open_input + s->open_approval + s->open_other;
	struct buf out = { .max = RESUME_MAX };

	buf_add(&out, STR("You stopped to ask in the session \""));
	text_flatten(&out, s->title);
	buf_print(&out, "\" (%.*s).\n", STR_ARGS(s->id));
	part_write(&out, "What you asked, oldest first, and what came of it", r->settled,
		s->settled - (int64_t)r->settled_len);
	part_write(&out, "Still open", r->open, open - (int64_t)r->open_len);
	return buf_keep_done(&out, r->arena);
}
