/* mandate_draw.c - what was approved in advance: a call is drawn from it, once, in the commit that lets
 * it run. What is left is in the row alone; two nodes that draw meet in its version.
 * Prefixes: mandate_, mandates_. */
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/field.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"

void mandate_event(struct rows *rows, const struct mandate_record *m, const char *type,
	struct str data)
{
	struct session *s = rows_session(rows, m->ws, m->session);

	if (!s) rows_fetch_session(rows, m->ws, m->session, &s, NULL);
	if (s)
		rows_event(rows, type, s, NULL, data);
	else
		rows_event_by(rows, m->ws, type, m->agent, data);
}

struct field mandate_field(const struct mandate_record *m, struct arena *arena)
{
	char digest[SHORT_DIGEST_SIZE];

	mandate_digest(m, digest);
	return field_text("record", arena_str(arena, str_of(digest)));
}

/* One more member. */
static struct str ended_because(struct str ended, struct str reason, struct arena *arena)
{
	struct buf b = { .max = 32768 };

	buf_add(&b, str_first(ended, ended.len ? ended.len - 1 : 0));
	buf_add_text(&b, ",\"reason\":");
	json_write_str(&b, reason);
	buf_add_char(&b, '}');
	return buf_keep_done(&b, arena);
}

void mandate_end(struct rows *rows, const struct mandate_record *at,
	const struct principal *who, const char *why, struct str reason)
{
	struct mandate_record *m;
	int64_t ended_ms = rows->now_ms;

	if (at->ended_ms) return;
	m = rows_change(rows, at);
	if (strcmp(why, "until") == 0) ended_ms = m->until_ms;
	if (str_is(m->status, "live")) rows_raise_policy(rows, m->ws);
	m->status = STR("ended");
	m->ended_ms = ended_ms;
	m->ended = ended_write(who, ended_ms, why, rows->arena);
	if (reason.len) m->ended = ended_because(m->ended, reason, rows->arena);
	mandate_event(rows, m, "mandate.ended",
		fields_text(rows->arena,
			FIELDS(field_text("mandate", m->id), field_word("why", why),
				field_json("ended", m->ended),
				mandate_field(m, rows->arena))));
}

/* The line is drawn: one use more, and what it costs. */
static void line_draw(struct rows *rows, const struct mandate_record *at,
	const struct mandate_lines *lines, struct mandate_count *counts, int line,
	amount takes)
{
	struct mandate_record *m = rows_change(rows, at);
	struct buf spent = { .max = 64 };

	counts[line].used++;
	counts[line].spent += takes;
	m->counts = mandate_counts_text(lines, counts, rows->arena);
	amount_write(&spent, counts[line].spent);
	mandate_event(rows, m, "mandate.drawn",
		fields_text(rows->arena,
			FIELDS(field_text("mandate", m->id),
				field_text("line", lines->at[line].key),
				field_int("used", counts[line].used),
				field_json("spent",
					lines->at[line].sums
						? arena_str(rows->arena, buf_str(&spent))
						: STR("null")))));
	buf_done(&spent);
	if (!mandate_left(lines, counts)) mandate_end(rows, m, NULL, "used", STR_NONE);
}

/* The i-th of the snapshot, as this batch has it: which line fits, and what is left. */
static enum err line_find(const struct policy_snapshot *b, size_t i, struct rows *rows,
	const struct operation_view *look, enum risk risk,
	const struct mandate_record **m, struct mandate_count *counts, int *line,
	amount *takes, struct fault *why)
{
	static const struct mandate_count none[MANDATE_LINES_MAX];
	const struct mandate_lines *lines = &b->mandate_lines[i];
	enum err e;

	/* What does not fit when nothing was drawn yet needs no look at its row. */
	*line = mandate_fit(lines, none, look, risk, rows->arena, takes);
	if (*line < 0) return OK;
	e = rows_get(rows, RECORD_MANDATES, KEY(b->ws, b->mandates[i].id), m, why);
	*line = -1;
	if (e || !*m || !mandate_holds(*m, rows->now_ms) ||
		!mandate_counts_load((*m)->counts, lines->len, rows->arena, counts))
		return e;
	*line = mandate_fit(lines, counts, look, risk, rows->arena, takes);
	return OK;
}

static bool mandate_is_of(
	const struct mandate_record *m, const struct operation_view *look)
{
	return str_eq(m->session, look->session) &&
	       str_eq(look->agent, agent_known(m->agent, m->agent_name));
}

enum err mandate_decide(struct policy_snapshot *b, struct rows *rows,
	const struct operation_view *look, bool draws, struct rule_verdict *v,
	struct fault *why)
{
	struct mandate_count counts[MANDATE_LINES_MAX];
	const struct mandate_record *m;
	struct rule_record *as_rule;
	amount takes;
	int line = -1;

	if (v->ruling.effect != EFFECT_NONE || v->stop || !look->session.len) return OK;
	for (size_t i = 0; i < b->mandates_len; i++) {
		enum err e;

		if (!mandate_is_of(&b->mandates[i], look)) continue;
		e = line_find(b, i, rows, look, v->risk, &m, counts, &line, &takes, why);
		if (e) return e;
		if (line < 0) continue;
		as_rule = ARENA_NEW(rows->arena, struct rule_record);
		if (!as_rule) return fail_memory(why);
		*as_rule = (struct rule_record){
			.ws = b->ws, .id = m->id, .effect = STR("allow"), .note = m->title
		};
		if (draws) line_draw(rows, m, &b->mandate_lines[i], counts, line, takes);
		v->mandate = mandate_drawn_text(
			m, &b->mandate_lines[i], counts, line, rows->arena);
		v->ruling.effect = EFFECT_ALLOW;
		v->ruling.rule = as_rule;
		return OK;
	}
	return OK;
}

enum err mandate_use(struct policy_snapshot *b, struct rows *rows, struct str id,
	const struct operation_view *look, enum risk risk, struct fault *why)
{
	struct mandate_count counts[MANDATE_LINES_MAX];
	const struct mandate_record *m = NULL;
	const struct json *ended = NULL;
	amount takes;
	int line;
	enum err e;

	for (size_t i = 0; i < b->mandates_len; i++) {
		if (!str_eq(b->mandates[i].id, id)) continue;
		e = line_find(b, i, rows, look, risk, &m, counts, &line, &takes, why);
		if (e) return e;
		if (line < 0) break;
		line_draw(rows, m, &b->mandate_lines[i], counts, line, takes);
		return OK;
	}
	e = rows_get(rows, RECORD_MANDATES, KEY(b->ws, id), &m, why);
	if (e) return e;
	if (m && m->ended.len &&
		json_read(m->ended, NULL, rows->arena, &ended, NULL) == OK &&
		str_is(json_text_of(ended, "why"), "revoked"))
		return fail(why, ERR_REVOKED,
			"the approval in advance was revoked: ask again");
	return fail(why, ERR_MANDATE_SPENT,
		"nothing is left of the approval in advance: ask again");
}

enum err mandates_end_due(struct rows *rows, int64_t limit, struct fault *why)
{
	const struct mandate_record *m = NULL;
	enum err e = rows_fetch(
		rows, RECORD_MANDATES, SQL_MANDATES_DUE, ARGS(rows->now_ms, limit), why);

	while (!e && (m = rows_next(rows, RECORD_MANDATES, m)))
		if (!m->ended_ms && m->until_ms <= rows->now_ms)
			mandate_end(rows, m, NULL, "until", STR_NONE);
	return e;
}
