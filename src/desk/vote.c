/* vote.c - approvals that need more than one: what is required is kept with the ask, votes are
 * given and taken back, and the one that meets every part settles it. */
#include "desk/vote.h"

#include "core/decision.h"
#include "core/show.h"
#include "desk/people.h"

#include <stdio.h>

/* ---- what is required ---- */

static bool starter_add(
	struct json_writer *w, struct str *seen, size_t *len, struct str user)
{
	if (!user.len) return false;
	for (size_t i = 0; i < *len; i++)
		if (str_eq(seen[i], user)) return false;
	seen[(*len)++] = user;
	jw_str(w, user);
	return true;
}

/* Who made this token, and whose it is. A token that is gone says nothing, and a person's login is
 * nobody's making. */
static enum err token_people(struct rows *rows, int64_t ws, struct str token,
	struct str *maker, struct str *user, struct fault *why)
{
	struct fault missing = { 0 };
	const struct token *tok;
	enum err e = token.len ? rows_fetch_token(rows, ws, token, &tok, &missing)
			       : ERR_NOT_FOUND;

	*maker = *user = STR_NONE;
	if (e == ERR_NOT_FOUND) return OK;
	if (e) {
		*why = missing;
		return e;
	}
	if (tok->kind == TOKEN_BEARER) *maker = tok->maker;
	*user = tok->user;
	return OK;
}

enum err desk_starters(struct rows *rows, int64_t ws, struct str token,
	const struct session *s, struct str *out, struct fault *why)
{
	struct buf b = { .max = 4096 };
	struct json_writer w = { .out = &b };
	struct str seen[5], maker, user, first_maker, first_user;
	size_t len = 0;
	enum err e = token_people(rows, ws, token, &maker, &user, why);

	if (!e)
		e = token_people(rows, ws, s ? s->token : STR_NONE, &first_maker,
			&first_user, why);
	if (e) return e;
	jw_array(&w);
	starter_add(&w, seen, &len, maker);
	starter_add(&w, seen, &len, user);
	starter_add(&w, seen, &len, first_maker);
	starter_add(&w, seen, &len, first_user);
	if (s && str_starts(s->agent, "usr_")) starter_add(&w, seen, &len, s->agent);
	jw_array_end(&w);
	if (b.failed) rows->arena->failed = true;
	*out = len ? arena_str(rows->arena, buf_str(&b)) : STR_NONE;
	buf_done(&b);
	return rows->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

static const struct team_parts *team_named(const struct roster *r, struct str name)
{
	for (size_t i = 0; i < r->teams_len; i++)
		if (str_eq(r->teams[i].team->name, name)) return &r->teams[i];
	return NULL;
}

/* What it names exists. */
static enum err part_names(const struct roster *r, const struct require_part *p,
	const char *at, size_t part, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; i < p->from_len; i++) {
		const struct require_from *from = &p->from[i];
		char pointer[100];

		snprintf(pointer, sizeof pointer, "%s/%zu/from/%zu", at, part, i);
		if (from->kind == REQUIRE_TEAM && !team_named(r, from->name))
			e = fail_at(why, pointer, "no team %.*s",
				STR_ARGS(str_first(from->name, 60)));
		else if (from->kind == REQUIRE_USER && !roster_user(r, from->name))
			e = fail_at(why, pointer, "no such user");
	}
	return e;
}

/* "ops has 1 who can approve: 2 are needed" */
static enum err part_short(const struct require_part *p, int64_t reach, const char *at,
	size_t part, struct fault *why)
{
	char pointer[100], who[120];

	snprintf(pointer, sizeof pointer, "%s/%zu/approvals", at, part);
	if (p->from_len == 1 && p->from[0].kind == REQUIRE_TEAM)
		snprintf(who, sizeof who, "%.*s has", STR_ARGS(p->from[0].name));
	else
		snprintf(who, sizeof who, "there %s", reach == 1 ? "is" : "are");
	return fail_at(why, pointer, "%s %lld who can approve: %lld needed", who,
		(long long)reach, (long long)p->approvals);
}

enum err desk_check_require(struct task *t, struct rows *rows, const struct ask *a,
	const struct require *req, const char *at, struct fault *why)
{
	struct roster r;
	enum err e = req->len ? roster_all(t, rows, &r, why) : OK;

	if (e || !req->len) return e;
	for (size_t i = 0; i < req->len; i++) {
		const struct require_part *p = &req->parts[i];
		int64_t reach;

		if (part_names(&r, p, at, i, why)) {
			e = why->err;
			continue;
		}
		reach = require_reach(a, p, &r, rows->arena);
		if (reach < p->approvals) e = part_short(p, reach, at, i, why);
	}
	return rows->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : e;
}

enum err rule_require(const struct kept_rule *r, struct arena *arena, struct require *out,
	struct fault *why)
{
	const struct json *ask = NULL, *require;
	enum err e = r->ask.len ? json_read(r->ask, NULL, arena, &ask, why) : OK;

	*out = (struct require){ 0 };
	require = e ? NULL : json_get(ask, "require");
	return require ? require_read(require, "/ask/require", arena, out, why) : e;
}

enum err rule_check_require(
	struct task *t, struct rows *rows, const struct kept_rule *r, struct fault *why)
{
	const struct ask any = { .ws = t->job.who.ws, .kind = ASK_APPROVAL };
	struct require require;
	enum err e = rule_require(r, rows->arena, &require, why);

	return e ? e : desk_check_require(t, rows, &any, &require, "/ask/require", why);
}

enum err desk_require(struct rows *rows, struct ask *a, const struct session *s,
	const struct require *more, struct fault *why)
{
	struct require all;
	struct str starters = a->starters;
	int64_t *have;
	enum err e;

	if (!more->len) return OK;
	e = require_load(a->require, rows->arena, &all, why);
	if (!e && !require_merge(&all, more, rows->arena))
		e = fail(why, ERR_MEMORY, "out of memory");
	if (!e && !starters.len)
		e = desk_starters(rows, a->ws, a->token, s, &starters, why);
	if (e) return e;
	have = ARENA_ARRAY(rows->arena, int64_t, all.len);
	if (!have) return fail(why, ERR_MEMORY, "out of memory");
	a->require = require_text(&all, have, rows->arena);
	a->starters = starters;
	return rows->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

/* ---- votes ---- */

/* Keeps the votes and what they come to. */
static enum err ballot_keep(
	struct rows *rows, struct ask *a, struct ballot *b, struct fault *why)
{
	int64_t *have = ARENA_ARRAY(rows->arena, int64_t, b->require.len);
	struct str best;

	if (!have || !votes_count(a, &b->require, &b->roster, &b->votes, &best, have,
			     rows->arena))
		return fail(why, ERR_MEMORY, "out of memory");
	a->votes = votes_text(&b->votes, rows->arena);
	a->require = require_text(&b->require, have, rows->arena);
	return rows->arena->failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

static void have_write(struct json_writer *w, const struct ask *a, struct arena *arena)
{
	const struct json *parts;

	jw_put_array(w, "have");
	if (!json_read(a->require, NULL, arena, &parts, NULL))
		for (uint32_t i = 0; i < parts->count; i++)
			jw_json(w, json_get(&parts->items[i], "have"));
	jw_array_end(w);
}

/* The event of a vote that was given or taken back. */
static enum err vote_event(struct rows *rows, const struct ask *a, const char *type,
	const struct vote *v, struct fault *why)
{
	struct buf data = { .max = 2 * VOTES_TEXT_MAX };
	struct json_writer w = { .out = &data };
	struct vote small = *v;
	char votes[SHORT_DIGEST_SIZE], asked[SHORT_DIGEST_SIZE];
	struct str text;

	asked_digest(a, asked);
	small.arguments = STR_NONE; /* the digest says which */
	votes_digest(a, votes);
	jw_object(&w);
	jw_key(&w, "vote");
	vote_write(&w, &small);
	have_write(&w, a, rows->arena);
	/* Rules made since may have added to it. */
	show_json(&w, "require", a->require);
	show_json(&w, "starters", a->starters.len ? a->starters : STR("[]"));
	jw_put_text(&w, "votes", votes);
	jw_put_text(&w, "asked", asked);
	jw_object_end(&w);
	if (data.failed) rows->arena->failed = true;
	text = arena_str(rows->arena, buf_str(&data));
	buf_done(&data);
	return rows_event(rows, type, rows_session(rows, a->ws, a->session), a, text)
		       ? OK
		       : fail(why, ERR_MEMORY, "out of memory");
}

static struct str decision_note(
	const struct ask_parts *parts, const struct answer *answer, struct arena *arena)
{
	const struct json *json;

	if (json_read(answer->json, NULL, arena, &json, NULL)) return STR_NONE;
	for (size_t i = 0; i < parts->questions_len; i++)
		if (parts->questions[i].type == Q_APPROVAL)
			return json_text(json_get(
				json_get_str(json, parts->questions[i].key), "text"));
	return STR_NONE;
}

static struct vote vote_of(const struct job *job, struct rows *rows,
	const struct ask_parts *parts, const struct answer *answer, struct str digest)
{
	const struct principal *p = &job->who;
	struct vote v = { .user = p->user,
		.name = p->name,
		.via = p->via,
		.role = p->role,
		.value = answer->decision,
		.digest = digest,
		.reason = decision_note(parts, answer, rows->arena),
		.at_ms = rows->now_ms };
	struct buf b = { 0 };

	if (!answer->arguments) return v;
	json_write(&b, answer->arguments);
	if (b.failed) rows->arena->failed = true;
	v.arguments = arena_str(rows->arena, buf_str(&b));
	buf_done(&b);
	return v;
}

enum err vote_give(struct task *t, struct rows *rows, struct ask *a,
	const struct ask_parts *parts, const struct answer *answer, struct str digest,
	int64_t *met, struct fault *why)
{
	struct ballot b;
	struct vote v;
	int64_t *have;
	enum err e = ballot_open(t, rows, a, &b, why);

	*met = 0;
	if (!e && answer->decision == DECISION_APPROVE)
		e = refused(entitled_to_approve(
				    a, &b.require, &t->job.who, &b.roster, rows->arena),
			a, &t->job.who, why);
	if (e) return e;
	v = vote_of(&t->job, rows, parts, answer, digest);
	votes_put(&b.votes, &v);
	e = ballot_keep(rows, a, &b, why);
	if (!e && a->votes.len > VOTES_TEXT_MAX)
		return desk_conflict(t, a, rows_session(rows, a->ws, a->session),
			rows->now_ms, why, "its votes are full: reject it, or ask anew");
	if (!e && answer->decision != DECISION_APPROVE) return OK;
	have = e ? NULL : ARENA_ARRAY(rows->arena, int64_t, b.require.len);
	if (!e && !have) e = fail(why, ERR_MEMORY, "out of memory");
	if (!e &&
		votes_meet(a, &b.require, &b.roster, &b.votes, digest, have, rows->arena))
		*met = (int64_t)votes_counting(&b.votes, digest);
	if (!e) e = vote_event(rows, a, "ask.voted", &b.votes.at[b.votes.len - 1], why);
	return e;
}

/* The ask as it now is, still pending. */
static enum err vote_reply(
	struct task *t, struct rows *rows, struct ask *a, struct fault *why)
{
	struct session *s = rows_session(rows, a->ws, a->session);

	a->version++;
	if (rows->arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	t->ask = arena_str(&t->job.arena, a->id);
	desk_keep_ask(t, a);
	desk_reply_settled(t, a, s, rows->now_ms);
	return OK;
}

enum err vote_given(struct task *t, struct rows *rows, struct ask *a, struct fault *why)
{
	return vote_reply(t, rows, a, why);
}

/* ---- retract ---- */

static void retract_needs(struct job *job, struct wants *w)
{
	wants_ask(w, job->who.ws, task_of(job)->id);
}

static enum err retract_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { NULL };

	return members_only(t->body, names, why);
}

static enum err retract_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct vote *found;
	struct vote was;
	struct ballot b;
	struct ask *a;
	enum err e = desk_admit(t, rows, MAY_READ_ALL, &a, why);

	if (!e) e = desk_settle_open(t, rows, a, why);
	if (!e) e = ballot_open(t, rows, a, &b, why);
	if (e) return e;
	found = votes_find(&b.votes, job->who.user);
	if (!found)
		return desk_conflict(t, a, rows_session(rows, a->ws, a->session),
			rows->now_ms, why, "you have no vote on it");
	was = *found;
	votes_drop(&b.votes, job->who.user);
	e = ballot_keep(rows, a, &b, why);
	if (!e) e = vote_event(rows, a, "ask.retracted", &was, why);
	return e ? e : vote_reply(t, rows, a, why);
}

const struct use use_retract = {
	.job = { .name = "retract",
		.late = true,
		.needs = retract_needs,
		.decide = retract_decide,
		.again = desk_again_settled },
	.check = retract_check,
};
