/* ask.c - names of kinds and statuses; every way out of pending. */
#include "core/ask/ask.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/ask/question_kind.h"
#include "core/policy/rule_set.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <assert.h>

static const char *const kinds[] = {
	[ASK_BLOCKING] = "blocking",
	[ASK_NON_BLOCKING] = "non_blocking",
	[ASK_APPROVAL] = "approval",
	[ASK_ERROR_RECOVERY] = "error_recovery",
};

static const char *const statuses[] = {
	[ASK_PENDING] = "pending",
	[ASK_ANSWERED] = "answered",
	[ASK_SKIPPED] = "skipped",
	[ASK_EXPIRED] = "expired",
	[ASK_CANCELLED] = "cancelled",
};

const char *const priority_names[PRIORITY_URGENT + 1] = {
	[PRIORITY_LOW] = "low",
	[PRIORITY_NORMAL] = "normal",
	[PRIORITY_HIGH] = "high",
	[PRIORITY_URGENT] = "urgent",
};

ENUM_NAMES(ask_kind, kinds)
ENUM_NAMES(ask_status, statuses)
ENUM_NAMES(priority, priority_names)

const struct json_limits ask_limits = { .depth = 100, .values = 1000000 };

enum err ask_fixed(const struct ask *a, struct arena *arena, const struct json **out,
	struct fault *why)
{
	char *text = arena_alloc(arena, a->fixed.len + 2);

	if (!text) return fail(why, ERR_MEMORY, "out of memory");
	text[0] = '{';
	if (a->fixed.len) memcpy(text + 1, a->fixed.at, a->fixed.len);
	text[a->fixed.len + 1] = '}';
	return json_read(str_make(text, a->fixed.len + 2), &ask_limits, arena, out, why);
}

enum err ask_parts(const struct ask *a, struct arena *arena, struct ask_parts *out,
	struct fault *why)
{
	struct ask_parts parts = { 0 };
	const struct json *json;
	enum err e = ask_fixed(a, arena, &json, why);

	if (!e)
		e = questions_load(json_get(json, "questions"), arena, &parts.questions,
			&parts.questions_len, why);
	if (e == ERR_MEMORY) return e;
	if (e) return fail(why, ERR_INTERNAL, "ask %.*s is unreadable", STR_ARGS(a->id));
	parts.operation = json_get(json, "operation");
	parts.fallback = json_get(json, "default");
	if (!json_is(parts.operation, JSON_OBJECT)) parts.operation = NULL;
	if (!json_is(parts.fallback, JSON_OBJECT)) parts.fallback = NULL;
	parts.scopes = json_get(json_get(json, "foreign"), "scopes");
	parts.never_once =
		json_is(json_get(json_get(json, "foreign"), "never_once"), JSON_TRUE);
	parts.title = json_text(json_get(json, "title"));
	parts.program = json_text(json_get(json, "program"));
	parts.machine_user = json_text(json_get(json, "machine_user"));
	parts.around = json_get(json, "context");
	parts.context = json_text(json_get(parts.around, "text"));
	parts.sensitive = json_is(json_get(json, "sensitive"), JSON_TRUE);
	*out = parts;
	return OK;
}

void ask_operation(struct operation_view *out, const struct ask *a,
	const struct json *operation, const struct json *arguments, struct arena *arena)
{
	operation_view(out, operation, arguments, agent_known(a->agent, a->agent_name),
		a->project, a->session, arena);
	out->requester = a->requester;
}

/* Every way out of pending. A settled ask never changes again. `outcome` sums it up when
 * there is no answer to do so. */
static const struct {
	enum ask_status to;
	const char *event;
	const char *outcome;
} settling[] = {
	[SETTLE_ANSWER] = { ASK_ANSWERED, "ask.answered", "" },
	[SETTLE_SKIP] = { ASK_SKIPPED, "ask.skipped", "Skipped" },
	[SETTLE_EXPIRE] = { ASK_EXPIRED, "ask.expired", "No answer before the deadline" },
	[SETTLE_CANCEL] = { ASK_CANCELLED, "ask.cancelled", "Cancelled" },
};

static struct str settlement_summary(const struct settlement *s, struct arena *arena)
{
	const char *outcome = settling[s->verb].outcome;

	if (s->answer) return s->answer->summary;
	if (s->reason.len)
		return arena_print(arena, "%s: %.*s", outcome, STR_ARGS(s->reason));
	return str_of(outcome);
}

static bool all_approve(const struct ask_parts *parts, const struct json *answer)
{
	size_t approvals = 0;

	for (size_t i = 0; i < parts->questions_len; i++) {
		const struct question *q = &parts->questions[i];
		const struct json *value =
			json_get(json_get_str(answer, q->key), "value");

		if (!question_decides(q)) continue;
		if (!str_is(json_text(value), "approve")) return false;
		approvals++;
	}
	return approvals > 0;
}

/* Read from the answer itself: one that cannot be read approves nothing. */
enum err ask_approved(
	const struct ask *a, struct arena *arena, bool *out, struct fault *why)
{
	struct ask_parts parts;
	const struct json *answer;
	enum err e;

	*out = false;
	if (a->status != ASK_ANSWERED || a->kind != ASK_APPROVAL) return OK;
	e = ask_parts(a, arena, &parts, NULL);
	if (!e) e = json_read(a->answer, NULL, arena, &answer, NULL);
	*out = !e && all_approve(&parts, answer);
	return e == ERR_MEMORY ? fail_memory(why) : OK;
}

enum err ask_finish(struct ask *a, const struct settlement *s, int64_t now_ms,
	struct arena *arena, const char **event_type, struct fault *why)
{
	bool by_somebody = s->answer || s->verb == SETTLE_SKIP, approved;
	struct ask was = *a;
	enum err e;

	assert(s->verb != SETTLE_ANSWER || s->answer);
	assert(!s->answer || s->verb == SETTLE_ANSWER || s->verb == SETTLE_EXPIRE);
	assert(!s->answer || s->answered_by.len);
	if (a->status != ASK_PENDING)
		return fail(why, ERR_CONFLICT, "ask %.*s is already %s", STR_ARGS(a->id),
			ask_status_name(a->status));
	struct str summary = settlement_summary(s, arena);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");

	a->status = settling[s->verb].to;
	a->settled_ms = now_ms;
	a->answer = s->answer ? s->answer->json : STR_NONE;
	a->answered_by = by_somebody ? s->answered_by : STR_NONE;
	a->approved_digest = s->approved_digest;
	a->settled_user = by_somebody ? s->user : STR_NONE;
	a->reason = s->reason;
	a->summary = summary;
	a->claimed_user = a->claimed_name = STR_NONE;
	a->claimed_until_ms = 0;
	e = ask_approved(a, arena, &approved, why);
	if (e) {
		*a = was;
		return e;
	}
	if (approved && !a->approved_digest.len) a->approved_digest = a->digest;
	a->version++;
	*event_type = settling[s->verb].event;
	return OK;
}

int64_t ask_urgency(enum risk risk, enum priority priority)
{
	if (risk == RISK_CRITICAL || priority == PRIORITY_URGENT) return 2;
	return risk == RISK_HIGH || priority == PRIORITY_HIGH;
}

static struct str revoked_write(
	const struct principal *p, struct str reason, int64_t now_ms, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_key(&w, "by");
	show_who(&w, "human", p);
	show_text(&w, "reason", reason);
	show_time(&w, "at", now_ms);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

void ask_sum_revoked(struct buf *out, const struct ask *a)
{
	struct arena arena = { 0 };
	const struct json *revoked = NULL;
	struct str name, reason;

	if (!a->revoked.len) return;
	json_read(a->revoked, NULL, &arena, &revoked, NULL);
	name = json_text(json_get(json_get(revoked, "by"), "name"));
	reason = json_text(json_get(revoked, "reason"));
	buf_add_text(out, "Taken back");
	if (name.len) buf_add_text(out, " by ");
	text_flatten(out, name);
	if (reason.len) buf_add_text(out, ": ");
	text_flatten(out, reason);
	buf_add_text(out, ". The approval must not be used.");
	arena_done(&arena);
}

void ask_sum(struct buf *out, const struct ask *a)
{
	buf_add(out, a->summary);
	if (!a->revoked.len) return;
	buf_add_char(out, '\n');
	ask_sum_revoked(out, a);
}

enum err ask_revoke(struct ask *a, const struct principal *p, bool own, struct str reason,
	int64_t now_ms, struct arena *arena, struct fault *why)
{
	struct str revoked;
	bool approved;
	enum err e;

	if (!role_may(p->role, MAY_SETTLE) || (!own && !role_may(p->role, MAY_ADMIN)))
		return fail(why, ERR_FORBIDDEN,
			"only the person who approved, or an admin, can take the approval back");
	e = ask_approved(a, arena, &approved, why);
	if (e) return e;
	if (!approved) return fail(why, ERR_CONFLICT, "it was not approved");
	if (a->used_ms) return fail(why, ERR_CONFLICT, "the approval was already used");
	if (a->revoked.len)
		return fail(why, ERR_CONFLICT, "the approval was already revoked");
	revoked = revoked_write(p, reason, now_ms, arena);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	a->revoked = revoked;
	a->version++;
	return OK;
}

enum err ask_edited(const struct ask *a, const struct ask_parts *parts,
	struct arena *arena, const struct json **out, struct fault *why)
{
	const struct json *answer;

	*out = NULL;
	if (!a->answer.len) return OK;
	enum err e = json_read(a->answer, NULL, arena, &answer, why);
	for (size_t i = 0; !e && !*out && i < parts->questions_len; i++)
		if (question_decides(&parts->questions[i]))
			*out = json_get(json_get_str(answer, parts->questions[i].key),
				"arguments");
	return e;
}

void ask_answered_by_vote(struct buf *out, const struct principal *p, int64_t votes)
{
	answered_by_write(out, "human", p);
	if (out->failed) return;
	out->len--; /* opens the object again */
	buf_print(out, ",\"votes\":%lld}", (long long)votes);
}

struct str ask_replies_add(struct str replies, const struct principal *p, struct str text,
	int64_t now_ms, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	char at[TIME_SIZE];
	bool first = replies.len <= strlen("[]");

	time_write(now_ms, at);
	buf_add(&out, first ? STR("[") : str_first(replies, replies.len - 1));
	w.more = !first;
	jw_object(&w);
	jw_key(&w, "by");
	show_who(&w, p->role == ROLE_AGENT ? "agent" : "human", p);
	jw_put_str(&w, "text", text);
	jw_put_text(&w, "at", at);
	jw_object_end(&w);
	buf_add_char(&out, ']');
	return buf_keep_done(&out, arena);
}

static enum err part_read(
	struct str text, struct arena *arena, const struct json **out, struct fault *why)
{
	return text.len ? json_read(text, &ask_limits, arena, out, why) : OK;
}

static struct str summary_of(const struct ask *a, struct arena *arena)
{
	struct buf b = { 0 };

	ask_sum(&b, a);
	return buf_keep_done(&b, arena);
}

enum err ask_json_read(const struct ask *a, const struct ask_view *view,
	struct arena *arena, struct ask_json *out, struct fault *why)
{
	struct ask_json w = { .ask = a, .view = view };
	enum err e = ask_fixed(a, arena, &w.fixed, why);

	if (!e) e = part_read(a->answer, arena, &w.answer, why);
	if (!e) e = part_read(a->answered_by, arena, &w.answered_by, why);
	if (!e) e = part_read(a->replies, arena, &w.replies, why);
	if (!e) e = part_read(a->revoked, arena, &w.revoked, why);
	w.summary = summary_of(a, arena);
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	if (e) return fail(why, ERR_INTERNAL, "ask %.*s is unreadable", STR_ARGS(a->id));
	w.questions = json_get(w.fixed, "questions");
	if (!json_is(w.questions, JSON_ARRAY)) w.questions = NULL;
	w.foreign = json_get(w.fixed, "foreign");
	*out = w;
	return OK;
}
