/* logins.c - the logins of a person: which there are, and the end of one or of several. A
 * login is the cookies that replaced each other; at most two of them are valid. */
#include "desk/people/logins.h"

#include "core/shared/show.h"
#include "desk/people/people.h"

/* That login alone, or, without `only`, all others. */
static void cookies_end(struct rows *rows, int64_t ws, struct str user, struct str login,
	bool only, size_t *ended)
{
	const struct token *tok = NULL;

	while ((tok = tokens_next(rows, ws, user, tok))) {
		if (tok->kind != TOKEN_COOKIE || str_eq(token_login(tok), login) != only)
			continue;
		rows_delete(rows, tok);
		++*ended;
	}
}

enum err login_end(struct rows *rows, int64_t ws, struct str user, struct str login,
	size_t *ended, struct fault *why)
{
	enum err e = tokens_fetch(rows, ws, user, why);

	if (!e) cookies_end(rows, ws, user, login, true, ended);
	return e;
}

/* All but the one that the job came with; all, when it came another way. */
static enum err logins_end_others(const struct job *job, struct rows *rows, int64_t ws,
	struct str user, size_t *ended, struct fault *why)
{
	const struct token *tok = NULL;
	struct str own = STR_NONE;
	enum err e = tokens_fetch(rows, ws, user, why);

	while (!e && (tok = tokens_next(rows, ws, user, tok)))
		if (token_is_own(job, tok)) own = token_login(tok);
	if (!e) cookies_end(rows, ws, user, own, false, ended);
	return e;
}

/* ---- the use cases ---- */

/* To end them. */
static enum err logins_reached(
	const struct job *job, struct rows *rows, struct fault *why)
{
	const struct user *u;
	enum err e = desk_person(&job->who, "only a person has logins", why);

	return e ? e : people_reached(rows, &job->who, job->who.user, &u, why);
}

enum { LISTED_MAX = 200 };

struct login_list {
	const struct token *found[LISTED_MAX]; /* the newest cookie of each */
	size_t len;
	struct str own;
};

static bool list_has(const struct login_list *l, struct str login)
{
	for (size_t i = 0; i < l->len; i++)
		if (str_eq(token_login(l->found[i]), login)) return true;
	return false;
}

static void list_fill(struct login_list *l, const struct job *job, struct rows *rows)
{
	const struct token *tok = NULL;

	while ((tok = rows_next(rows, RECORD_TOKENS, tok))) {
		if (tok->expires_ms && tok->expires_ms <= rows->now_ms) continue;
		if (token_is_own(job, tok)) l->own = token_login(tok);
		if (l->len < LISTED_MAX && !list_has(l, token_login(tok)))
			l->found[l->len++] = tok;
	}
}

static void login_write(struct json_writer *w, const struct token *tok, bool current)
{
	jw_object(w);
	jw_put_str(w, "id", token_login(tok));
	jw_put_bool(w, "current", current);
	show_text(w, "client", tok->client);
	show_text(w, "from", tok->origin);
	show_time(w, "created_at", tok->begun_ms ? tok->begun_ms : tok->created_ms);
	show_time(w, "last_used_at", tok->last_used_ms);
	show_time(w, "expires_at", tok->expires_ms);
	jw_object_end(w);
}

static enum err login_list_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct login_list l = { .len = 0 };
	struct list_page p;
	enum err e = desk_person(&job->who, "only a person has logins", why);

	if (!e) e = page_read(t, rows, "logins", &p, why);
	if (!e)
		e = rows_fetch(rows, RECORD_TOKENS, SQL_LOGINS_OF_USER,
			ARGS(job->who.ws, job->who.user), why);
	if (e) return e;
	list_fill(&l, job, rows);
	page_begin(&w);
	for (size_t i = 0; i < l.len; i++)
		login_write(&w, l.found[i], str_eq(token_login(l.found[i]), l.own));
	page_end(t, &w, &p, NULL, 0);
	return OK;
}

const struct use use_login_list = READS("login_list", 0, 0, login_list_read, NULL);

static void ended_tell(struct job *job, struct rows *rows)
{
	rows_raise_revocations(rows, job->who.ws);
	job->status = 204;
}

static enum err login_end_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct str id = task_of(job)->id;
	size_t ended = 0;
	enum err e = logins_reached(job, rows, why);

	if (!e) e = login_end(rows, job->who.ws, job->who.user, id, &ended, why);
	if (!e && !ended) e = desk_missing("login", id, why);
	if (!e) ended_tell(job, rows);
	return e;
}

const struct use use_login_end =
	WRITES("login_end", 0, 0, NULL, login_end_decide, NULL, NULL);

static enum err logins_end_decide(struct job *job, struct rows *rows, struct fault *why)
{
	size_t ended = 0;
	enum err e = logins_reached(job, rows, why);

	if (!e) e = logins_end_others(job, rows, job->who.ws, job->who.user, &ended, why);
	if (!e) ended_tell(job, rows);
	return e;
}

const struct use use_logins_end =
	WRITES("logins_end", 0, 0, NULL, logins_end_decide, NULL, NULL);
