/* rehearse.c - other rules and another policy, replayed on what was; and what a rule that was made has
 * changed. Nothing is written. */
#include "core/policy/rehearsal.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/rules.h"
#include "desk/shared/collection.h"
#include "desk/shared/durations.h"

#include <stdlib.h>

enum { REPLAY_MAX = 50000, DIFFERENT_MAX = 200, CHANGES_MAX = 200, PEOPLE_MAX = 500 };
enum {
	REHEARSE_DAYS = 30,
	REHEARSE_DAYS_MAX = 90,
	EFFECT_DAYS = 14,
	EFFECT_DAYS_MAX = 90
};
#define A_DAY_MS ((int64_t)24 * 3600 * 1000)

/* ---- the body ---- */

struct rehearse_body {
	struct rule_record *add;
	struct str *end;
	size_t add_len, end_len;
	const struct json *policy;
	int64_t days;
};

static size_t list_read(const struct json *body, const char *name,
	const struct json **out, struct fault *why)
{
	const struct json *list = json_get(body, name);

	*out = list;
	if (!list || list->type == JSON_NULL) return 0;
	if (list->type == JSON_ARRAY && list->count <= CHANGES_MAX) return list->count;
	fail_at(why, POINTER("/%s", name), "must be an array of at most %d", CHANGES_MAX);
	return 0;
}

static enum err rehearse_check(struct task *t, struct fault *why)
{
	struct rehearse_body *b = TASK_CHECKED(t, struct rehearse_body);
	const struct json *add, *end, *days = json_get(t->body, "days");

	if (!b) return fail_memory(why);
	if (!t->body) return fail_at(why, "", "must be an object");
	MEMBERS_ONLY(t->body, why, "policy", "add", "end", "days");
	b->policy = json_get(t->body, "policy");
	if (b->policy && b->policy->type == JSON_NULL) b->policy = NULL;
	if (b->policy && b->policy->type != JSON_OBJECT)
		fail_at(why, "/policy", "must be an object");
	b->add_len = list_read(t->body, "add", &add, why);
	b->end_len = list_read(t->body, "end", &end, why);
	b->add = ARENA_ARRAY(&t->job.arena, struct rule_record, b->add_len + 1);
	b->end = ARENA_ARRAY(&t->job.arena, struct str, b->end_len + 1);
	if (!b->add || !b->end) return fail_memory(why);
	for (size_t i = 0; i < b->add_len; i++) {
		b->add[i].id = arena_print(&t->job.arena, "/add/%zu", i);
		rule_read_at(t, &add->items[i], POINTER("/add/%zu", i), &b->add[i], why);
	}
	for (size_t i = 0; i < b->end_len; i++) {
		b->end[i] = json_text(&end->items[i]);
		if (!id_valid(b->end[i], "rul"))
			fail_at(why, POINTER("/end/%zu", i), "must be a rule's id");
	}
	b->days = REHEARSE_DAYS;
	if (days && days->type != JSON_NULL) {
		b->days = json_is(days, JSON_NUMBER) && days->is_int ? days->integer : 0;
		if (b->days < 1 || b->days > REHEARSE_DAYS_MAX)
			fail_at(why, "/days", "must be from 1 to %d", REHEARSE_DAYS_MAX);
	}
	return why->err;
}

/* ---- replaying ---- */

struct asked_person {
	struct asked_person *next;
	struct str user, name;
	int64_t was, would;
};

struct rehearse_pass {
	struct policy_snapshot *snapshot;
	int64_t now_ms, differs_len;
	struct rehearsal counts;
	struct json_writer *differs;
	struct asked_person *people;
	size_t people_len;
	struct arena *arena;
};

/* A rule that may be used so many times is used up by what it decided. */
static void uses_take(struct policy_snapshot *snapshot, const struct ruling *r)
{
	for (size_t i = 0; i < snapshot->counted_len; i++)
		for (size_t k = 0; k < r->hits_len; k++)
			if (r->hits[k] == snapshot->counted[i].rule &&
				snapshot->counted[i].rule->uses_left > 0)
				snapshot->counted[i].rule->uses_left--;
}

static struct asked_person *person_of(
	struct rehearse_pass *p, struct str user, struct str name)
{
	struct asked_person *one = p->people;

	while (one && !str_eq(one->user, user))
		one = one->next;
	if (one || p->people_len >= PEOPLE_MAX) return one;
	one = ARENA_NEW(p->arena, struct asked_person);
	if (!one) return NULL;
	one->user = arena_str(p->arena, user);
	one->name = arena_str(p->arena, name);
	one->next = p->people;
	p->people = one;
	p->people_len++;
	return one;
}

static void person_count(struct rehearse_pass *p, const struct past_operation *past,
	const struct rehearsed *one, struct arena *scratch)
{
	const struct json *by;
	struct asked_person *person;
	struct str user;

	if (!past->by_person || json_read(past->answered_by, NULL, scratch, &by, NULL))
		return;
	user = json_text(json_get(by, "user"));
	person = user.len ? person_of(p, user, json_text(json_get(by, "name"))) : NULL;
	if (!person) return;
	person->was++;
	person->would += one->would == EFFECT_ASK;
}

static const char *effect_done(enum effect e)
{
	return e == EFFECT_ALLOW ? "allowed" : e == EFFECT_DENY ? "denied" : "asked";
}

static void different_write(struct rehearse_pass *p, const struct past_operation *past,
	const struct rehearsed *one, const struct ruling *r)
{
	struct json_writer *w = p->differs;

	if (p->differs_len++ >= DIFFERENT_MAX) return;
	jw_object(w);
	jw_put_str(w, past->call ? "call" : "ask", past->id);
	jw_put_text(w, "was", effect_done(one->was));
	jw_put_text(w, "would", effect_done(one->would));
	show_text(w, "by",
		r->rule		? r->rule->id
		: past->by_mode ? STR("policy")
				: STR_NONE);
	show_text(w, "person",
		one->approved	? STR("approved")
		: one->rejected ? STR("rejected")
				: STR_NONE);
	jw_object_end(w);
}

static enum err rehearse_past(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct rehearse_pass *p = ctx;
	struct rule_verdict v;
	struct rehearsed one = { .was = past_was(past),
		.approved = past->by_person && past->approved,
		.rejected = past->by_person && past->rejected };

	one.would = past_would(p->snapshot, past, p->now_ms, arena, &v);
	if (arena->failed) return fail_memory(why);
	uses_take(p->snapshot, &v.ruling);
	if (rehearsal_add(&p->counts, &one)) different_write(p, past, &one, &v.ruling);
	person_count(p, past, &one, arena);
	return OK;
}

static int people_order(const void *a, const void *b)
{
	const struct asked_person *x = *(struct asked_person *const *)a;
	const struct asked_person *y = *(struct asked_person *const *)b;

	if (x->was != y->was) return x->was < y->was ? 1 : -1;
	return str_cmp(x->user, y->user);
}

static void people_write(struct json_writer *w, struct rehearse_pass *p)
{
	struct asked_person **list =
		ARENA_ARRAY(p->arena, struct asked_person *, p->people_len + 1);
	size_t len = 0;

	for (struct asked_person *one = p->people; list && one; one = one->next)
		list[len++] = one;
	if (len) qsort(list, len, sizeof *list, people_order);
	jw_put_array(w, "people");
	for (size_t i = 0; i < len; i++) {
		jw_object(w);
		show_text(w, "user", list[i]->user);
		show_text(w, "name", list[i]->name);
		jw_put_int(w, "was", list[i]->was);
		jw_put_int(w, "would", list[i]->would);
		jw_object_end(w);
	}
	jw_array_end(w);
}

/* Of more than so many, the newest. */
static enum err span_cut(struct rows *rows, int64_t ws, int64_t *from_ms, bool *truncated,
	struct fault *why)
{
	int64_t beyond_ms = 0;
	enum err e = rows_int(rows, SQL_OPERATIONS_BEYOND,
		ARGS(ws, desk_id_bound("ask", *from_ms, rows->arena),
			desk_id_bound("call", *from_ms, rows->arena), REPLAY_MAX),
		&beyond_ms, why);

	*truncated = !e && beyond_ms >= *from_ms && beyond_ms > 0;
	if (*truncated) *from_ms = beyond_ms + 1;
	return e;
}

/* As when they are saved: what they name exists. */
static enum err change_check(struct task *t, struct rows *rows,
	struct snapshot_change *change, struct fault *why)
{
	const struct rehearse_body *b = t->checked;
	const struct policy_record *kept = NULL;
	enum err e = OK;
	int from;

	for (size_t i = 0; i < b->add_len; i++) {
		from = why->items_len;
		if (rule_check_wants(t, rows, &b->add[i], why)) e = why->err;
		fault_shift(why, from, POINTER("/add/%zu", i));
	}
	for (size_t i = 0; i < b->end_len; i++) {
		const struct rule_record *r = NULL;
		enum err found = rows_get(
			rows, RECORD_RULES, KEY(t->job.who.ws, b->end[i]), &r, why);

		if (found) return found;
		if (!r || !rule_holds(r, rows->now_ms))
			e = fail_at(why, POINTER("/end/%zu", i),
				r ? "the rule has already ended" : "no such rule");
	}
	if (!b->policy) return e;
	from = why->items_len;
	if (rows_get(rows, RECORD_POLICIES, KEY(t->job.who.ws), &kept, why))
		return why->err;
	if (policy_read(b->policy, kept ? kept->body : str_of(policy_default),
		    &version_also, &t->job.arena, &change->policy, NULL, why))
		e = why->err;
	fault_shift(why, from, "/policy");
	return e;
}

static enum err rehearse_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct rehearse_body *b = t->checked;
	struct snapshot_change change = {
		.add = b->add, .add_len = b->add_len, .end = b->end, .end_len = b->end_len
	};
	struct buf list = { 0 };
	struct json_writer w = { .out = &job->out }, differs = { .out = &list };
	struct rehearse_pass p = {
		.now_ms = rows->now_ms, .differs = &differs, .arena = &job->arena
	};
	int64_t from_ms = rows->now_ms - b->days * A_DAY_MS;
	bool truncated = false;
	enum err e = change_check(t, rows, &change, why);

	if (!e) e = snapshot_load(rows, job->who.ws, &change, &p.snapshot, why);
	if (!e) e = span_cut(rows, job->who.ws, &from_ms, &truncated, why);
	/* A stop is for a while: what is rehearsed lasts. */
	if (!e) p.snapshot->stops_len = 0;
	jw_array(&differs);
	if (!e)
		e = past_replay(
			rows, job->who.ws, from_ms, INT64_MAX, rehearse_past, &p, why);
	jw_array_end(&differs);
	if (!e && list.failed) e = fail_memory(why);
	if (!e) {
		jw_object(&w);
		rehearsal_write(&w, &p.counts, truncated);
		jw_put_raw(&w, "differs", buf_str(&list));
		people_write(&w, &p);
		jw_object_end(&w);
	}
	buf_done(&list);
	snapshot_free(p.snapshot);
	return e;
}

const struct use use_rehearse =
	READS("rehearse", MAY_SETTLE, JOB_SLOW, rehearse_read, rehearse_check);

/* ---- what a rule has changed ---- */

struct effect_span {
	int64_t from_ms, to_ms, operations, by[EFFECT_DENY + 1], rejected;
	struct durations took; /* of people */
};

struct effect_pass {
	struct rule_match match;
	enum effect effect;
	struct policy policy;
	struct effect_span spans[2]; /* before it was made, and after */
};

static enum err effect_past(void *ctx, const struct past_operation *past,
	struct arena *arena, struct fault *why)
{
	struct effect_pass *p = ctx;
	struct effect_span *s = &p->spans[past->created_ms >= p->spans[1].from_ms];

	if (!rule_fits(&p->match, p->effect, &past->look,
		    policy_risk(&p->policy, &past->look), arena))
		return arena->failed ? fail_memory(why) : OK;
	s->operations++;
	s->by[past_was(past)]++;
	s->rejected += past->by_person && past->rejected;
	if (past->by_person &&
		!durations_add(&s->took, past->settled_ms - past->created_ms))
		return fail_memory(why);
	return OK;
}

static void effect_write_span(
	struct json_writer *w, const char *name, struct effect_span *s)
{
	jw_put_object(w, name);
	show_time(w, "from", s->from_ms);
	show_time(w, "to", s->to_ms);
	jw_put_int(w, "operations", s->operations);
	jw_put_int(w, "asked", s->by[EFFECT_ASK]);
	jw_put_int(w, "allowed", s->by[EFFECT_ALLOW]);
	jw_put_int(w, "denied", s->by[EFFECT_DENY]);
	jw_put_int(w, "rejected", s->rejected);
	jw_key(w, "median_ms");
	durations_sort(s->took.ms, s->took.len);
	durations_part_write(w, s->took.ms, s->took.len, 50);
	jw_object_end(w);
}

static enum err effect_days(struct task *t, int64_t *days, struct fault *why)
{
	*days = EFFECT_DAYS;
	if (!task_has_param(t, "days") ||
		str_to_int(task_param(t, "days"), 1, EFFECT_DAYS_MAX, days))
		return OK;
	return fail_at(why, "/days", "must be from 1 to %d", EFFECT_DAYS_MAX);
}

/* Spans of the same length: as long as it has been there, at most so many days. */
static enum err effect_load(
	struct task *t, struct rows *rows, struct effect_pass *p, struct fault *why)
{
	const struct rule_record *rule = NULL;
	const struct policy_record *kept = NULL;
	int64_t days, span_ms;
	enum err e = rows_get(rows, RECORD_RULES, KEY(t->job.who.ws, t->id), &rule, why);

	if (!e && !rule) e = desk_missing("rule", t->id, why);
	if (!e) e = effect_days(t, &days, why);
	if (!e) e = rule_parse(rule, &t->job.arena, &p->match, NULL, why);
	if (!e) e = rows_get(rows, RECORD_POLICIES, KEY(t->job.who.ws), &kept, why);
	if (!e)
		e = policy_parse(kept ? kept->body : str_of(policy_default),
			&t->job.arena, &p->policy, why);
	if (e) return e;
	effect_read(rule->effect, &p->effect);
	span_ms = rows->now_ms + 1 - rule->created_ms;
	if (span_ms > days * A_DAY_MS) span_ms = days * A_DAY_MS;
	p->spans[0].from_ms = rule->created_ms - span_ms;
	p->spans[0].to_ms = p->spans[1].from_ms = rule->created_ms;
	p->spans[1].to_ms = rule->created_ms + span_ms;
	return OK;
}

static enum err effect_read_spans(struct job *job, struct rows *rows, struct fault *why)
{
	struct effect_pass p = { 0 };
	struct json_writer w = { .out = &job->out };
	enum err e = effect_load(task_of(job), rows, &p, why);

	if (!e)
		e = past_replay(rows, job->who.ws, p.spans[0].from_ms, p.spans[1].to_ms,
			effect_past, &p, why);
	if (!e) {
		jw_object(&w);
		effect_write_span(&w, "before", &p.spans[0]);
		effect_write_span(&w, "after", &p.spans[1]);
		jw_object_end(&w);
	}
	durations_done(&p.spans[0].took);
	durations_done(&p.spans[1].took);
	return e;
}

const struct use use_rule_effect =
	READS("rule_effect", MAY_READ_ALL, JOB_SLOW, effect_read_spans, NULL);
