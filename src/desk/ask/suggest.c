/* suggest.c - what people answered to the same questions before, and what the workspace, the project or
 * the person prefers. Shown beside the form; never chosen, pre-filled or used at a deadline. */
#include "base/keep.h"
#include "core/ask/answer.h"
#include "core/ask/preference.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/shared/inner.h"

enum { SUGGEST_DAYS = 90, SUGGEST_LOOK = 2000, SUGGEST_LEAST = 2 };

/* One value that was given to a question. */
struct given_answer {
	struct given_answer *next;
	struct str value; /* JSON, in its canonical form */
	int64_t count;
	struct str ask, by; /* of the last one */
	int64_t at_ms;
};

struct suggesting {
	struct arena *arena;
	const struct ask *ask;
	struct ask_parts parts;
	struct {
		struct str like; /* key, text and options, as one text */
		struct given_answer *given;
		int64_t of;
		const struct preference *preferred; /* NULL: nothing is */
		struct str value;		    /* that one, as `given` has it */
	} questions[QUESTIONS_MAX];
};

/* Two questions are the same when these are. */
static struct str question_like(const struct question *q, struct arena *arena)
{
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	jw_str(&w, q->key);
	jw_str(&w, q->text);
	for (size_t i = 0; i < q->options_len; i++) {
		jw_str(&w, q->options[i].id);
		jw_str(&w, q->options[i].label);
	}
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

static struct str value_text(const struct json *value, struct arena *arena)
{
	struct buf b = { .max = 1 << 20 };

	json_canonical(&b, value);
	return buf_keep_done(&b, arena);
}

static struct given_answer *given_of(
	const struct suggesting *s, size_t i, struct str value)
{
	struct given_answer *g = s->questions[i].given;

	while (g && !str_eq(g->value, value))
		g = g->next;
	return g;
}

static void given_add(
	struct suggesting *s, size_t i, const struct json *value, const struct ask *a)
{
	struct str text = value_text(value, s->arena);
	struct given_answer *g = given_of(s, i, text);

	s->questions[i].of++;
	if (!g) {
		g = ARENA_NEW(s->arena, struct given_answer);
		if (!g) return;
		/* The newest come first. */
		*g = (struct given_answer){ .next = s->questions[i].given,
			.value = text,
			.ask = arena_str(s->arena, a->id),
			.by = arena_str(s->arena, a->answered_by),
			.at_ms = a->settled_ms };
		s->questions[i].given = g;
	}
	g->count++;
}

static enum err past_count(void *ctx, const void *record, const struct row *row,
	struct arena *scratch, struct fault *why)
{
	struct suggesting *s = ctx;
	const struct ask *a = record;
	const struct json *answer;
	struct ask_parts parts;
	enum err e;

	(void)row;
	if (str_eq(a->id, s->ask->id) || !a->answer.len ||
		str_find(a->answered_by, STR("\"human\"")) < 0)
		return OK;
	e = ask_parts(a, scratch, &parts, why);
	if (!e) e = json_read(a->answer, NULL, scratch, &answer, why);
	for (size_t i = 0; !e && i < s->parts.questions_len; i++)
		for (size_t k = 0; k < parts.questions_len; k++) {
			const struct question *q = &parts.questions[k];
			const struct json *value = json_get_str(answer, q->key);

			if (value && str_eq(q->key, s->parts.questions[i].key) &&
				str_eq(question_like(q, scratch), s->questions[i].like))
				given_add(s, i, value, a);
		}
	return e;
}

/* ---- what is preferred ---- */

/* As an answer in its full form; empty: this question cannot be answered so. */
static struct str preferred_value(
	const struct preference *p, const struct question *q, struct arena *arena)
{
	struct json_writer w = { .out = &(struct buf){ 0 } };
	const struct json *values, *full;
	struct fault unfit = { 0 };
	struct answer a;

	jw_object(&w);
	jw_key_str(&w, q->key);
	jw_raw(&w, p->value);
	jw_object_end(&w);
	if (json_read(buf_keep_done(w.out, arena), NULL, arena, &values, &unfit) ||
		answer_check_at(q, 1, values, "", arena, &a, &unfit) ||
		json_read(a.json, NULL, arena, &full, &unfit))
		return STR_NONE;
	return value_text(json_get_str(full, q->key), arena);
}

static enum err preferred_find(
	struct suggesting *s, struct rows *rows, struct str user, struct fault *why)
{
	const struct preference *p = NULL;
	enum err e = rows_fetch(rows, RECORD_PREFERENCES,
		SQL_OF(RECORD_PREFERENCES, RECORD_PAGE),
		ARGS(s->ask->ws, "", PREFERENCES_MAX), why);

	while (!e && (p = rows_next(rows, RECORD_PREFERENCES, p)))
		for (size_t i = 0; i < s->parts.questions_len; i++) {
			const struct question *q = &s->parts.questions[i];
			struct str value;

			if (!preference_fits(p, q, s->ask->project, user) ||
				!preference_is_nearer(p, s->questions[i].preferred))
				continue;
			value = preferred_value(p, q, s->arena);
			if (!value.len) continue;
			s->questions[i].preferred = p;
			s->questions[i].value = value;
		}
	return e;
}

/* ---- the reply ---- */

/* `g` NULL: nobody gave this answer. */
static void suggestion_write(struct json_writer *w, const struct suggesting *s, size_t i,
	const struct given_answer *g, const struct preference *p)
{
	jw_object(w);
	show_text(w, "question", s->parts.questions[i].key);
	show_json(w, "value", g ? g->value : s->questions[i].value);
	jw_put_int(w, "count", g ? g->count : 0);
	jw_put_int(w, "of", s->questions[i].of);
	if (g) {
		jw_put_object(w, "last");
		show_text(w, "ask", g->ask);
		show_json(w, "by", g->by);
		show_time(w, "at", g->at_ms);
		jw_object_end(w);
	} else {
		show_json(w, "last", STR_NONE);
	}
	if (p) {
		jw_key(w, "preferred");
		preference_write(w, p);
	}
	jw_object_end(w);
}

static void suggestions_write(struct json_writer *w, const struct suggesting *s)
{
	jw_array(w);
	for (size_t i = 0; i < s->parts.questions_len; i++) {
		const struct preference *preferred = s->questions[i].preferred;
		const struct given_answer *best = NULL, *same;

		for (const struct given_answer *g = s->questions[i].given; g; g = g->next)
			if (!best || g->count > best->count ||
				(g->count == best->count && g->at_ms > best->at_ms))
				best = g;
		same = preferred ? given_of(s, i, s->questions[i].value) : NULL;
		if (preferred) suggestion_write(w, s, i, same, preferred);
		if (best && best != same && best->count >= SUGGEST_LEAST)
			suggestion_write(w, s, i, best, NULL);
	}
	jw_array_end(w);
}

static enum err suggest_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct suggesting *s = ARENA_NEW(&job->arena, struct suggesting);
	struct ask *a;
	enum err e = rows_fetch_ask(rows, job->who.ws, task_of(job)->id, &a, why);

	if (e || !s) return e;
	s->arena = &job->arena;
	s->ask = a;
	e = ask_parts(a, s->arena, &s->parts, why);
	if (e) return e;
	for (size_t i = 0; i < s->parts.questions_len; i++)
		s->questions[i].like = question_like(&s->parts.questions[i], s->arena);
	e = rows_each(rows, RECORD_ASKS, SQL_ASKS_ANSWERED,
		ARGS(job->who.ws, s->ask->agent, s->ask->project,
			rows->now_ms - (int64_t)SUGGEST_DAYS * 24 * 3600 * 1000,
			SUGGEST_LOOK),
		past_count, s, why);
	if (!e) e = preferred_find(s, rows, job->who.user, why);
	if (!e) suggestions_write(TO_REPLY(job), s);
	return e;
}

const struct use use_ask_suggestions =
	READS("ask_suggestions", MAY_READ_ALL, JOB_SLOW, suggest_read, NULL);
