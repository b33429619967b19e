/* rulebook.c - rules and stops as JSON, whether they still hold, and their digests. */
#include "core/policy/rulebook.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

enum { TITLE_MAX = 200 };

bool rule_holds(const struct rule_record *r, int64_t now_ms)
{
	return !r->ended_ms && r->uses_left != 0 &&
	       (!r->expires_ms || r->expires_ms > now_ms);
}

bool rule_decides(const struct rule_record *r, int64_t now_ms)
{
	return r->enabled && !r->shadow && rule_holds(r, now_ms);
}

bool stop_holds(const struct stop_record *s, int64_t now_ms)
{
	return !s->ended_ms && (!s->until_ms || s->until_ms > now_ms);
}

static void ended_show(
	struct json_writer *w, const struct principal *p, int64_t at_ms, const char *why)
{
	jw_object(w);
	show_time(w, "at", at_ms);
	jw_key(w, "by");
	if (p)
		show_who(w, "human", p);
	else
		jw_raw(w, STR("{\"kind\":\"system\"}"));
	jw_put_text(w, "why", why);
	jw_object_end(w);
}

struct str ended_write(
	const struct principal *p, int64_t at_ms, const char *why, struct arena *arena)
{
	struct buf b = { .max = 16384 };
	struct json_writer w = { .out = &b };

	ended_show(&w, p, at_ms, why);
	return buf_keep_done(&b, arena);
}

/* What the clock ends is over at its instant, also before that is written down. */
static void ended_member(
	struct json_writer *w, struct str ended, bool over, int64_t over_ms)
{
	jw_key(w, "ended");
	if (ended.len)
		jw_raw(w, ended);
	else if (over)
		ended_show(w, NULL, over_ms, "expired");
	else
		jw_null(w);
}

void rule_show_terms(struct json_writer *w, const struct rule_record *r)
{
	show_text(w, "effect", r->effect);
	jw_put_str(w, "note", r->note);
	jw_put_bool(w, "enabled", r->enabled);
	show_json(w, "match", r->match);
	show_json(w, "ask", r->ask);
	show_time(w, "expires_at", r->expires_ms);
	show_number(w, "uses_left", r->uses_left, r->uses_left >= 0);
	if (r->shadow) jw_put_bool(w, "shadow", true);
}

void rule_show_from(struct json_writer *w, const struct rule_record *r)
{
	jw_key(w, "made_from");
	if (!r->made_from.len) {
		jw_null(w);
		return;
	}
	jw_object(w);
	show_text(w, "ask", r->made_from);
	show_text(w, "tool", r->from_tool);
	show_text(w, "subject", r->from_subject);
	jw_object_end(w);
}

struct str rule_title(const struct rule_record *r, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	const struct json *match, *tools = NULL;

	if (r->note.len) return r->note;
	if (json_read(r->match, NULL, arena, &match, NULL) == OK)
		tools = json_get(match, "tool");
	for (uint32_t i = 0; json_is(tools, JSON_ARRAY) && i < tools->count; i++) {
		if (i) buf_add_text(&b, ", ");
		buf_add(&b, json_text(&tools->items[i]));
	}
	if (!b.len) buf_add(&b, r->from_tool);
	if (!tools && r->from_subject.len)
		buf_print(&b, "(%.*s)", STR_ARGS(r->from_subject));
	struct str title = buf_keep_done(&b, arena);
	return title.len ? utf8_first(title, TITLE_MAX) : r->id;
}

void rule_show_members(struct json_writer *w, const struct rule_record *r, int64_t now_ms)
{
	struct rule_record terms = *r;

	terms.shadow = false; /* told with what it counts */
	show_text(w, "id", r->id);
	rule_show_terms(w, &terms);
	rule_show_from(w, r);
	show_json(w, "made_by", r->made_by);
	show_time(w, "created_at", r->created_ms);
	jw_put_int(w, "hits", r->hits);
	show_time(w, "last_hit_at", r->last_hit_ms);
	ended_member(
		w, r->ended, r->expires_ms && r->expires_ms <= now_ms, r->expires_ms);
	jw_put_int(w, "version", r->version);
}

void stop_show(struct json_writer *w, const struct stop_record *s, int64_t now_ms)
{
	jw_object(w);
	show_text(w, "id", s->id);
	show_json(w, "match", s->match);
	jw_put_str(w, "reason", s->reason);
	show_time(w, "until", s->until_ms);
	show_json(w, "made_by", s->made_by);
	show_time(w, "created_at", s->created_ms);
	ended_member(w, s->ended, s->until_ms && s->until_ms <= now_ms, s->until_ms);
	jw_put_int(w, "version", s->version);
	jw_object_end(w);
}

/* ---- digests ---- */

void rule_digest(const struct rule_record *r, char out[SHORT_DIGEST_SIZE])
{
	char expires[NUMBER_SIZE], created[NUMBER_SIZE], ended[NUMBER_SIZE];
	const struct str fields[] = { r->id, r->effect, r->note,
		r->enabled ? STR("1") : STR("0"), r->match, r->ask,
		digest_number(r->expires_ms, expires), r->made_from, r->made_by,
		r->made_user, digest_number(r->created_ms, created), r->ended,
		digest_number(r->ended_ms, ended), r->from_tool, r->from_subject,
		r->shadow ? STR("shadow") : STR_NONE };
	/* Newer columns are hashed only when set: older events were hashed without them. */
	size_t without = r->shadow	       ? 0
			 : r->from_subject.len ? 1
			 : r->from_tool.len    ? 2
					       : 3;

	digest_fields(fields, sizeof fields / sizeof *fields - without, out);
}

void stop_digest(const struct stop_record *s, char out[SHORT_DIGEST_SIZE])
{
	char until[NUMBER_SIZE], created[NUMBER_SIZE], ended[NUMBER_SIZE];
	const struct str fields[] = { s->id, s->match, s->reason,
		digest_number(s->until_ms, until), s->made_by, s->made_user,
		digest_number(s->created_ms, created), s->ended,
		digest_number(s->ended_ms, ended) };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}

void policy_digest(const struct policy_record *p, char out[SHORT_DIGEST_SIZE])
{
	char changed[NUMBER_SIZE];
	const struct str fields[] = { p->body, digest_number(p->changed_ms, changed) };

	digest_fields(fields, sizeof fields / sizeof *fields, out);
}
