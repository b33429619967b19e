/* run_wants.c - asks that runs make; and what an MCP server wants to know before it runs a call: asked of people in the
 * run's session, one after the other, kept with the call, and sent with it when it is sent again. */
#include "base/json_pattern.h"
#include "base/keep.h"
#include "core/ask/preset.h"
#include "desk/run/run_inner.h"

#include <stdio.h>

enum err run_ask(const struct run_job *j, struct ask_from from, struct str text,
	struct ask **out, struct fault *why)
{
	struct draft_limits limits = desk_limits(j->t->desk);
	const struct json *body;
	struct draft d;
	enum err e = json_read(text, NULL, j->rows->arena, &body, why);

	limits.schema = from.schema;
	if (!e && preset_asked(body))
		e = presets_expand(j->rows, j->s->ws, body, &body, why);
	if (!e) e = draft_read(body, &limits, j->rows->arena, &d, why);
	if (e) return e;
	if (from.foreign.len) ask_keep_foreign(&d, from.foreign, j->rows->arena);
	from.session = j->s;
	from.was = j->s->status;
	from.run = j->r;
	return ask_make(j->t, j->rows, &d, &from, out, why);
}

/* ---- what an MCP server wants to know ---- */

enum { ROUNDS_MAX = 10 };

/* Kept: {"state", "asks": [{"key", "body", "foreign"}], "ids": ["ask_…"], "rounds"} */
struct wanted {
	const struct json *state, *asks, *ids;
	int64_t rounds; /* how often it wanted something */
};

static enum err wanted_read(
	struct rows *rows, struct str kept, struct wanted *out, struct fault *why)
{
	const struct json *json;

	*out = (struct wanted){ 0 };
	if (!kept.len) return OK;
	if (json_read(kept, NULL, rows->arena, &json, NULL))
		return fail(why, ERR_INTERNAL, "what a call waits for is unreadable");
	*out = (struct wanted){ json_get(json, "state"), json_get(json, "asks"),
		json_get(json, "ids"), json_int_of(json, "rounds") };
	return OK;
}

/* With one more that was asked; or empty. */
static struct str wanted_write(const struct wanted *f, struct str id, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *one = NULL;

	jw_object(&w);
	jw_put_json(&w, "state", f->state);
	jw_put_json(&w, "asks", f->asks);
	jw_put_array(&w, "ids");
	while (json_each(f->ids, &one))
		jw_json(&w, one);
	if (id.len) jw_str(&w, id);
	jw_array_end(&w);
	jw_put_int(&w, "rounds", f->rounds);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

/* Nothing is left to ask: it may be sent again. */
static enum err wants_nothing(struct tool_call *c, struct fault *why)
{
	enum err e = c->status == CALL_WAITING ? OK : tool_call_act(c, CALL_ASK, why);

	c->attempts = 0;
	return e ? e : tool_call_act(c, CALL_ALLOW, why);
}

enum err run_call_wants(const struct run_job *j, struct tool_call *c, struct fault *why)
{
	struct ask_from from = { .origin = ASK_BY_RUN_QUESTION };
	struct arena *arena = j->rows->arena;
	const struct json *next;
	struct fault bad = { 0 };
	struct wanted f;
	struct ask *a;
	size_t n;
	enum err e = wanted_read(j->rows, c->result, &f, why);

	if (e) return e;
	n = f.ids ? f.ids->count : 0;
	if (!json_is(f.asks, JSON_ARRAY) || n >= f.asks->count)
		return wants_nothing(c, why);
	next = &f.asks->items[n];
	from.foreign = json_keep(json_get(next, "foreign"), arena);
	e = run_ask(j, from, json_keep(json_get(next, "body"), arena), &a, &bad);
	if (e == ERR_INVALID || e == ERR_BAD_REQUEST)
		return run_call_end(j, c, CALL_FAIL,
			arena_print(arena, "The server asked what cannot be asked: %s",
				bad.items_len ? bad.items[0].detail : bad.detail),
			why);
	if (e) {
		*why = bad;
		return e;
	}
	if (c->status != CALL_WAITING) e = tool_call_act(c, CALL_ASK, why);
	c->ask = a->id;
	c->result = wanted_write(&f, a->id, arena);
	return e;
}

enum err run_call_wanted(
	const struct run_job *j, struct tool_call *c, struct str wants, struct fault *why)
{
	struct wanted before, now;
	enum err e = wanted_read(j->rows, c->result, &before, why);

	if (!e) e = wanted_read(j->rows, wants, &now, why);
	if (e) return e;
	now.rounds = before.rounds + 1;
	if (now.rounds > ROUNDS_MAX)
		return run_call_end(j, c, CALL_FAIL,
			STR("The server asked ten times, and did not run it"), why);
	c->result = wanted_write(&now, STR_NONE, j->rows->arena);
	return run_call_wants(j, c, why);
}

enum err run_call_asked(const struct run_job *j, const struct tool_call *c,
	struct run_do *out, struct fault *why)
{
	struct arena *arena = &j->t->job.arena;
	const struct ask_view view = { 0 };
	struct wanted f;
	enum err e = wanted_read(j->rows, c->result, &f, why);

	if (e) return e;
	out->wanted = arena_str(arena, c->result);
	out->asked = ARENA_ARRAY(arena, struct run_asked, (f.ids ? f.ids->count : 0) + 1);
	if (!out->asked) return fail_memory(why);
	for (uint32_t i = 0; !e && f.ids && i < f.ids->count && i < f.asks->count; i++) {
		struct ask *a;

		e = rows_fetch_ask(j->rows, c->ws, json_text(&f.ids->items[i]), &a, why);
		if (e) break;
		out->asked[out->asked_len++] = (struct run_asked){
			arena_str(arena, json_text_of(&f.asks->items[i], "key")),
			desk_keep(j->t, a, &view)
		};
	}
	/* One that was deleted is as one that nobody answered. */
	return e == ERR_NOT_FOUND ? OK : e;
}

/* ---- while a call runs ---- */

/* No longer than its server would wait. */
static struct str with_deadline(struct str body, struct arena *arena)
{
	const struct json *read;

	if (json_read(body, NULL, arena, &read, NULL)) return body;
	return json_with(read, "timeout", STR("\"5m\""), arena);
}

static enum err elicit_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_elicit *b = task_of(job)->checked;
	struct ask_from from = { .origin = ASK_BY_RUN_QUESTION, .foreign = b->foreign };
	struct run_job j;
	struct ask *a;
	enum err e = run_hold(job, rows, &b->key, &j, why);

	if (!e) e = run_ask(&j, from, with_deadline(b->body, rows->arena), &a, why);
	if (!e) snprintf(b->ask, sizeof b->ask, "%.*s", STR_ARGS(a->id));
	return e;
}

const struct use use_run_elicit =
	WRITES("run_elicit", 0, JOB_OPEN, NULL, elicit_decide, NULL, NULL);

static enum err elicited_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct run_elicit *b = task_of(job)->checked;
	const struct ask_view view = { 0 };
	struct ask *a;
	enum err e = rows_fetch_ask(rows, b->key.ws, str_of(b->ask), &a, why);

	b->settled = NULL;
	if (!e && a->status != ASK_PENDING)
		b->settled = desk_keep(task_of(job), a, &view);
	return e;
}

const struct use use_run_elicited =
	READS("run_elicited", 0, JOB_OPEN, elicited_read, NULL);
