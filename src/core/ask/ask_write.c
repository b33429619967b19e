/* ask_write.c - the ask as JSON, for everybody. Part of every request: `fixed` is
 * copied in as it is stored. */
#include "core/ask/ask.h"
#include "core/ask/because.h"
#include "core/shared/show.h"

static void head_write(
	struct json_writer *w, const struct ask *a, const struct ask_view *v)
{
	jw_put_str(w, "id", a->id);
	jw_put_str(w, "workspace", v->workspace);
	jw_put_str(w, "session", a->session);
	show_text(w, "session_title", v->session_title);
	if (v->own_session && a->status == ASK_PENDING)
		jw_put_bool(w, "own_session", true);
	show_text(w, "project", a->project);
	show_text(w, "run", a->run);
	show_agent(w, a->ws, a->agent, a->agent_name);
	jw_put_text(w, "kind", ask_kind_name(a->kind));
	jw_put_text(w, "status", ask_status_name(a->status));
}

static void claim_write(struct json_writer *w, const struct ask *a, int64_t now_ms)
{
	jw_key(w, "claimed_by");
	if (a->claimed_until_ms <= now_ms) {
		jw_null(w);
		return;
	}
	jw_object(w);
	show_text(w, "user", a->claimed_user);
	jw_put_str(w, "name", a->claimed_name);
	show_time(w, "until", a->claimed_until_ms);
	jw_object_end(w);
}

static void people_write(struct json_writer *w, const struct ask *a, int64_t now_ms)
{
	jw_put_text(w, "priority", priority_name(a->priority));
	show_json(w, "assignees", a->assignees.len ? a->assignees : STR("[]"));
	claim_write(w, a, now_ms);
	jw_put_int(w, "version", a->version);
}

static void summary_write(struct json_writer *w, const struct ask *a)
{
	struct buf b = { 0 };

	jw_key(w, "summary");
	if (a->revoked.len) ask_sum(&b, a);
	jw_str(w, a->revoked.len ? buf_str(&b) : a->summary);
	w->out->failed |= b.failed;
	buf_done(&b);
}

static void outcome_write(struct json_writer *w, const struct ask *a)
{
	show_json(w, "answer", a->answer);
	show_json(w, "answered_by", a->answered_by);
	summary_write(w, a);
	show_text(w, "reason", a->reason);
	show_json(w, "replies", a->replies.len ? a->replies : STR("[]"));
}

static void mark_write(struct json_writer *w, const struct mark *m)
{
	jw_put_object(w, "mark");
	jw_put_bool(w, "read", m->read_ms > 0);
	show_time(w, "snoozed_until", m->snoozed_ms);
	jw_object_end(w);
}

static void proof_write(struct json_writer *w, const struct ask_proof *p)
{
	char hex[SHA256_HEX_SIZE];

	if (!p->event || p->hash.len != SHA256_SIZE) return;
	hex_write((const uint8_t *)p->hash.at, SHA256_SIZE, hex);
	jw_put_object(w, "proof");
	jw_put_int(w, "event", p->event);
	jw_put_text(w, "hash", hex);
	jw_object_end(w);
}

static void url_write(
	struct json_writer *w, const struct ask *a, const struct ask_view *v)
{
	jw_put_str(w, "url", v->url);
	if (w->out->failed) return;
	w->out->len--; /* opens the string again */
	buf_add(w->out, STR("/asks/"));
	buf_add(w->out, a->id);
	buf_add_char(w->out, '"');
}

struct str ask_url(struct str url, struct str id, struct arena *arena)
{
	return arena_print(arena, "%.*s/asks/%.*s", STR_ARGS(url), STR_ARGS(id));
}

/* `because` as stored, with a sentence that explains it. */
static void because_write(
	struct json_writer *w, const struct ask *a, const struct ask_view *v)
{
	struct arena arena = { 0 };
	struct str said;

	if (a->because.len < 2) {
		show_json(w, "asked_because", STR_NONE);
		return;
	}
	said = because_sentence(a, &arena);
	jw_put_object(w, "asked_because");
	show_members(w, a->because);
	jw_put_str(w, "text", v->words ? v->words(said, &arena) : said);
	jw_object_end(w);
	w->out->failed |= arena.failed;
	arena_done(&arena);
}

static void overtaken_write(struct json_writer *w, const struct ask *a)
{
	jw_key(w, "overtaken");
	if (!a->overtaken_ms) {
		jw_null(w);
		return;
	}
	jw_object(w);
	show_time(w, "at", a->overtaken_ms);
	show_text(w, "by", STR("terminal"));
	jw_object_end(w);
}

void ask_write(struct json_writer *w, const struct ask *a, const struct ask_view *v,
	int64_t now_ms)
{
	buf_reserve(w->out, a->fixed.len + 1024);
	jw_object(w);
	head_write(w, a, v);
	jw_members(w, a->fixed);
	show_text(w, "risk", str_of(risk_name(a->risk)));
	show_text(w, "digest", a->digest);
	show_text(w, "approved_digest", a->approved_digest);
	people_write(w, a, now_ms);
	show_time(w, "created_at", a->created_ms);
	show_time(w, "expires_at", a->deadline_ms);
	show_time(w, "settled_at", a->settled_ms);
	outcome_write(w, a);
	show_time(w, "used_at", a->used_ms);
	jw_put_some(w, "used_for", a->used_for);
	if (a->redeemed_ms) show_time(w, "redeemed_at", a->redeemed_ms);
	show_time(w, "fetched_at", a->fetched_ms);
	show_time(w, "asked_again_at", a->again_ms);
	overtaken_write(w, a);
	show_json(w, "revoked", a->revoked);
	show_json(w, "require", a->require);
	show_json(w, "votes", a->votes.len ? a->votes : STR("[]"));
	show_json(w, "verify", a->verify);
	because_write(w, a, v);
	show_json(w, "trace", a->trace);
	if (v->stopped.len) show_json(w, "stopped", v->stopped);
	if (v->denied.len) show_json(w, "denied_by", v->denied);
	if (v->expect.len) show_json(w, "expect", v->expect);
	if (v->mark) mark_write(w, v->mark);
	if (v->refused) jw_put_text(w, "refused", v->refused);
	proof_write(w, &v->proof);
	url_write(w, a, v);
	jw_object_end(w);
}
