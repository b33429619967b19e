/* require.c - what approvals require: kept with the ask, and checked against people as they
 * are. */
#include "desk/policy/require.h"

#include <stdio.h>

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

/* Who made this token, and who owns it. A deleted token names nobody; a login was made by
 * nobody else. */
static enum err token_people(struct rows *rows, int64_t ws, struct str token,
	struct str *maker, struct str *user, struct fault *why)
{
	const struct token *tok;
	enum err e =
		token.len ? rows_fetch_token(rows, ws, token, &tok, why) : ERR_NOT_FOUND;

	*maker = *user = STR_NONE;
	if (e) return e == ERR_NOT_FOUND ? OK : e;
	if (tok->kind == TOKEN_BEARER) *maker = tok->maker;
	*user = tok->user;
	return OK;
}

enum err require_starters(struct rows *rows, int64_t ws, struct str token,
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
	return OK;
}

/* What it names exists. */
static enum err part_names(const struct roster *r, const struct require_part *p,
	const char *at, size_t part, struct fault *why)
{
	enum err e = OK;

	for (size_t i = 0; i < p->from_len; i++) {
		const struct require_from *from = &p->from[i];
		struct fault_pointer here = fault_pointer("%s/%zu/from/%zu", at, part, i);

		if (from->kind == REQUIRE_TEAM && !roster_team_named(r, from->name))
			e = fail_at(why, here.text, "no team %.*s",
				STR_ARGS(str_first(from->name, 60)));
		else if (from->kind == REQUIRE_USER && !roster_user(r, from->name))
			e = fail_at(why, here.text, "no such user");
	}
	return e;
}

/* "ops has 1 who can approve: 2 are needed" */
static enum err part_short(const struct require_part *p, int64_t reach, const char *at,
	size_t part, struct fault *why)
{
	char who[120];

	if (p->from_len == 1 && p->from[0].kind == REQUIRE_TEAM)
		snprintf(who, sizeof who, "%.*s has", STR_ARGS(p->from[0].name));
	else
		snprintf(who, sizeof who, "there %s", reach == 1 ? "is" : "are");
	return fail_at(why, POINTER("%s/%zu/approvals", at, part),
		"%s %lld who can approve: %lld needed", who, (long long)reach,
		(long long)p->approvals);
}

enum err require_check_people(struct task *t, struct rows *rows, const struct ask *a,
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
	return e;
}

enum err require_of_rule(const struct rule_record *r, struct arena *arena,
	struct require *out, struct fault *why)
{
	const struct json *ask = NULL, *require;
	enum err e = r->ask.len ? json_read(r->ask, NULL, arena, &ask, why) : OK;

	*out = (struct require){ 0 };
	require = e ? NULL : json_get(ask, "require");
	return require ? require_read(require, "/ask/require", arena, out, why) : e;
}

enum err require_check_rule(
	struct task *t, struct rows *rows, const struct rule_record *r, struct fault *why)
{
	const struct ask any = { .ws = t->job.who.ws, .kind = ASK_APPROVAL };
	struct require require;
	enum err e = require_of_rule(r, rows->arena, &require, why);

	return e ? e : require_check_people(t, rows, &any, &require, "/ask/require", why);
}

enum err require_raise(struct rows *rows, struct ask *a, const struct session *s,
	const struct require *more, struct fault *why)
{
	struct str require = a->require, starters = a->starters;
	enum err e;

	if (!more->len) return OK;
	e = require_add(&require, more, rows->arena, why);
	if (!e && !starters.len)
		e = require_starters(rows, a->ws, a->token, s, &starters, why);
	if (e) return e;
	a->require = require;
	a->starters = starters;
	return OK;
}
