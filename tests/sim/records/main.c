/* main.c - random changes of users, tokens, sessions and asks that meet in one batch,
 * against a model.
 *
 *	records [N [--seed S]]   N changes, 10,000 when not said; PARLEY_LONG=1: 20 seeds
 *
 * Runs on a new file, or on what PARLEY_TEST_STORE names. What breaks a promise is printed
 * with the batch that did it and the seed. */
#include "check.h"
#include "random.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { REST_EVERY = 50 }; /* batches between the slower checks */

static struct model model;
static struct rig rig;
static uint64_t chance;

static int below(int n)
{
	return (int)random_below(&chance, (uint64_t)n);
}

static bool once_in(int n)
{
	return below(n) == 0;
}

/* ---- a random change ---- */

/* Something of this workspace that is still there; now and then one that is not. -1:
 * there is none. */
static int some_user(int ws)
{
	for (int tries = 0; tries < 50 && model.users_len; tries++) {
		int i = below(model.users_len);

		if (model.users[i].ws == ws && (!model.users[i].gone || once_in(30)))
			return i;
	}
	return -1;
}

static int some_token(int ws, enum role from, enum role to)
{
	for (int tries = 0; tries < 200 && model.tokens_len; tries++) {
		const struct model_token *t = &model.tokens[below(model.tokens_len)];

		if (t->ws == ws && t->role >= from && t->role <= to &&
			(!t->gone || once_in(30)))
			return (int)(t - model.tokens);
	}
	return -1;
}

/* The newest are likely, so that changes meet. */
static int some_recent(int len)
{
	int span = once_in(4) ? len : len < 12 ? len : 12;

	return len ? len - 1 - below(span) : -1;
}

static enum role some_role(enum role from)
{
	return (enum role)(from + below(ROLE_OWNER - (int)from + 1));
}

static void name_pick(char out[16])
{
	snprintf(out, 16, "name %d", below(NAMES));
}

static enum act some_act(void)
{
	static const int odds[ACTS] = { [USER_CREATE] = 3,
		[USER_PATCH] = 12,
		[USER_DELETE] = 2,
		[TOKEN_CREATE] = 4,
		[TOKEN_DELETE] = 3,
		[SESSION_CREATE] = 3,
		[SESSION_DELETE] = 2,
		[ASK] = 8,
		[ANSWER] = 6,
		[SETTLE_MANY] = 2 };
	int all = 0, at;

	for (int i = 0; i < ACTS; i++)
		all += odds[i];
	at = below(all);
	for (int i = 0;; i++)
		if ((at -= odds[i]) < 0) return (enum act)i;
}

static bool change_pick(struct model_change *c)
{
	*c = (struct model_change){ .act = some_act(), .ws = below(WORKSPACES) };
	c->by = once_in(3) ? -1 : some_token(c->ws, ROLE_MEMBER, ROLE_OWNER);
	c->keyed = once_in(2);
	name_pick(c->name);
	switch (c->act) {
	case USER_CREATE: c->role = some_role(ROLE_VIEWER); return true;
	case USER_PATCH:
		c->target = some_user(c->ws);
		c->has_role = once_in(2);
		c->role = some_role(ROLE_VIEWER);
		c->has_disabled = !c->has_role || once_in(3);
		c->disabled = once_in(2);
		c->has_name = once_in(4);
		return c->target >= 0;
	case USER_DELETE: c->target = some_user(c->ws); return c->target >= 0;
	case TOKEN_CREATE: c->role = some_role(ROLE_AGENT); return true;
	case TOKEN_DELETE:
		c->target = some_token(
			c->ws, once_in(6) ? ROLE_AGENT : ROLE_VIEWER, ROLE_OWNER);
		return c->target >= 0;
	case SESSION_CREATE:
		c->by = some_token(c->ws, ROLE_AGENT, ROLE_AGENT);
		c->disabled = once_in(2);
		return c->by >= 0;
	case SESSION_DELETE:
	case ASK:
		c->target = some_recent(model.sessions_len);
		if (c->target < 0) return false;
		c->ws = model.sessions[c->target].ws;
		c->by = model.sessions[c->target].agent;
		return true;
	case ANSWER:
	case SETTLE_MANY:
		c->target = some_recent(model.asks_len);
		c->other = some_recent(model.asks_len);
		if (c->target < 0) return false;
		c->ws = model.sessions[model.asks[c->target].session].ws;
		c->by = some_token(c->ws, ROLE_MEMBER, ROLE_OWNER);
		return c->by >= 0 &&
		       model.sessions[model.asks[c->other].session].ws == c->ws;
	case ACTS: break;
	}
	return false;
}

/* ---- as a request ---- */

static const struct use *const uses[ACTS] = { [USER_CREATE] = &use_user_create,
	[USER_PATCH] = &use_user_patch,
	[USER_DELETE] = &use_user_delete,
	[TOKEN_CREATE] = &use_token_create,
	[TOKEN_DELETE] = &use_token_delete,
	[SESSION_CREATE] = &use_session_create,
	[SESSION_DELETE] = &use_session_delete,
	[ASK] = &use_ask,
	[ANSWER] = &use_answer,
	[SETTLE_MANY] = &use_settle_many };

static void patch_body(const struct model_change *c, char *out)
{
	int at = snprintf(out, BODY_SIZE, "{");

	if (c->has_role)
		at += snprintf(out + at, BODY_SIZE - (size_t)at, "'role':'%s',",
			role_name(c->role));
	if (c->has_disabled)
		at += snprintf(out + at, BODY_SIZE - (size_t)at, "'disabled':%s,",
			c->disabled ? "true" : "false");
	if (c->has_name)
		at += snprintf(out + at, BODY_SIZE - (size_t)at, "'name':'%s',", c->name);
	snprintf(out + at - 1, BODY_SIZE - (size_t)at + 1, "}");
}

/* The body, or "" for none. */
static void change_body(const struct model_change *c, char *out)
{
	const struct model_ask *a = &model.asks[c->target], *b = &model.asks[c->other];

	out[0] = '\0';
	switch (c->act) {
	case USER_CREATE:
	case TOKEN_CREATE:
		snprintf(out, BODY_SIZE, "{'name':'%s','role':'%s'}", c->name,
			role_name(c->role));
		break;
	case USER_PATCH: patch_body(c, out); break;
	case SESSION_CREATE:
		snprintf(out, BODY_SIZE, "{'title':'plain'%s}",
			c->disabled ? ",'on_settled':{'webhook':'https://hook.example/'}"
				    : "");
		break;
	case ASK:
		snprintf(out, BODY_SIZE,
			"{'session':'%s','kind':'non_blocking','question':'secret-%d-?',"
			"'type':'text','metadata':{'note':'secret-%d-'}}",
			model.sessions[c->target].id, c->target, c->target);
		break;
	case ANSWER:
		snprintf(out, BODY_SIZE, "{'answer':'secret-%d-'}", a->session);
		break;
	case SETTLE_MANY:
		if (c->target == c->other)
			snprintf(out, BODY_SIZE, "{'ids':['%s'],'answer':'secret-%d-'}",
				a->id, a->session);
		else
			snprintf(out, BODY_SIZE, "{'ids':['%s','%s'],'skip':true}", a->id,
				b->id);
		break;
	default: break;
	}
}

static const char *change_id(const struct model_change *c)
{
	switch (c->act) {
	case USER_PATCH:
	case USER_DELETE: return model.users[c->target].id;
	case TOKEN_DELETE: return model.tokens[c->target].id;
	case SESSION_DELETE: return model.sessions[c->target].id;
	case ANSWER: return model.asks[c->target].id;
	default: return NULL;
	}
}

/* ---- a batch ---- */

struct batch {
	struct model_change changes[BATCH_MAX];
	struct request requests[BATCH_MAX];
	struct outcome outcomes[BATCH_MAX];
	char bodies[BATCH_MAX][BODY_SIZE], keys[BATCH_MAX][32];
	int len;
};

static void batch_fill(struct batch *b)
{
	int want = 1 + below(BATCH_MAX);

	b->len = 0;
	while (b->len < want) {
		struct model_change *c = &b->changes[b->len];
		int i = b->len;

		if (!change_pick(c)) continue;
		change_body(c, b->bodies[i]);
		snprintf(b->keys[i], sizeof b->keys[i], "key-%" PRId64 "-%d",
			model.changes, i);
		b->requests[i] = (struct request){ .use = uses[c->act],
			.who = c->by < 0 ? NULL : model.tokens[c->by].secret,
			.id = change_id(c),
			.body = b->bodies[i][0] ? b->bodies[i] : NULL,
			.key = c->keyed ? b->keys[i] : NULL,
			.workspace = model.workspaces[c->ws] };
		b->len++;
	}
	model.changes += b->len;
}

static bool refused_rightly(enum err e)
{
	return e == ERR_FORBIDDEN || e == ERR_NOT_ENTITLED || e == ERR_CONFLICT ||
	       e == ERR_NOT_FOUND || e == ERR_NO_TOKEN;
}

/* In their order: what was acknowledged must have been allowed, what was refused must
 * not have been. */
static bool batch_apply(struct batch *b, char wrong[WRONG_SIZE])
{
	bool ok = true;

	for (int i = 0; i < b->len; i++) {
		const struct model_change *c = &b->changes[i];
		struct outcome *o = &b->outcomes[i];
		bool may = model_allows(&model, c, true);
		bool might = may || model_allows(&model, c, false);
		bool must = may && model_allows(&model, c, false);

		if (o->err == OK && might) {
			if (ok && !model_apply(&model, c, o)) {
				snprintf(wrong, WRONG_SIZE, "change %d: a poor reply", i);
				ok = false;
			}
		} else if (ok && (o->err == OK || must || !refused_rightly(o->err))) {
			snprintf(wrong, WRONG_SIZE, "change %d: %s (%.120s)%s", i,
				o->err ? err_name(o->err) : "acknowledged",
				o->task.job.why.detail,
				must ? ", though it is allowed" : "");
			ok = false;
		}
	}
	return ok;
}

static void batch_tell(const struct batch *b)
{
	for (int i = 0; i < b->len; i++) {
		const struct request *q = &b->requests[i];
		const struct model_change *c = &b->changes[i];

		printf("  %d: %s in %s by %s %s %s -> %s\n", i, q->use->job.name,
			q->workspace,
			c->by < 0 ? "the local admin" : model.tokens[c->by].id,
			q->id ? q->id : "", q->body ? q->body : "",
			b->outcomes[i].err ? err_name(b->outcomes[i].err) : "ok");
	}
}

static bool batch_run(int number)
{
	static struct batch b;
	char wrong[WRONG_SIZE] = "";
	struct raw_sql *raw;
	bool ok;

	model_start(&model);
	batch_fill(&b);
	rig_batch(&rig, b.requests, b.outcomes, (size_t)b.len);
	ok = batch_apply(&b, wrong);
	raw = raw_open(rig.place);
	ok = ok && raw && records_fit_people(&model, &rig, raw, wrong);
	if (ok && number % REST_EVERY == 0)
		ok = records_fit_rest(&model, &rig, raw, wrong);
	raw_close(raw);
	if (!ok) {
		printf("batch %d: %s\n", number, wrong);
		batch_tell(&b);
	}
	for (int i = 0; i < b.len; i++)
		outcome_done(&b.outcomes[i]);
	return ok;
}

/* ---- the start ---- */

/* What the store holds of a workspace at first. */
static void known_user(void *ctx, int columns, const char *const *texts)
{
	struct model_user *u = &model.users[model.users_len++];

	(void)ctx, (void)columns;
	*u = (struct model_user){ .ws = atoi(texts[0]) - 1 };
	snprintf(u->id, sizeof u->id, "%s", texts[1]);
	snprintf(u->name, sizeof u->name, "%.15s", texts[2]);
	role_read(str_of(texts[3]), &u->role);
	u->version = strtoll(texts[4], NULL, 10);
}

static void known_token(void *ctx, int columns, const char *const *texts)
{
	struct model_token *t = &model.tokens[model.tokens_len++];
	const struct {
		const char *name, *secret;
	} ours[] = { { "builder", rig.agent }, { "stranger", rig.stranger },
		{ "mia", rig.mia }, { "noa", rig.noa }, { "ada", rig.ada } };

	(void)ctx, (void)columns;
	*t = (struct model_token){ .ws = atoi(texts[0]) - 1, .user = -1 };
	snprintf(t->id, sizeof t->id, "%s", texts[1]);
	role_read(str_of(texts[3]), &t->role);
	for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
		if (strcmp(ours[i].name, texts[2]) == 0)
			memcpy(t->secret, ours[i].secret, SECRET_SIZE);
	for (int i = 0; i < model.users_len; i++)
		if (strcmp(model.users[i].id, texts[4]) == 0) t->user = i;
}

static bool workspaces_make(void)
{
	struct outcome o;
	enum err e = rig_do(&rig,
		&(struct request){ &use_workspace_create, .body = "{'name':'second'}" },
		&o);
	struct raw_sql *raw = raw_open(rig.place);
	bool ok = e == OK && raw;

	outcome_done(&o);
	snprintf(model.workspaces[1], sizeof model.workspaces[1], "second");
	ok = ok &&
	     raw_each(raw, "SELECT ws, id, name, role, version FROM users ORDER BY id",
		     known_user, NULL) > 0 &&
	     raw_each(raw,
		     "SELECT ws, id, name, role, user_id FROM tokens WHERE kind = 'token'"
		     " ORDER BY id",
		     known_token, NULL) > 0;
	raw_close(raw);
	return ok;
}

/* The tokens that are not ours to know are never shown, only listed and revoked. */
static bool people_make(void)
{
	for (int ws = 0; ws < WORKSPACES; ws++)
		for (enum role role = ROLE_AGENT; role <= ROLE_OWNER; role++) {
			struct model_change c = {
				.act = TOKEN_CREATE, .ws = ws, .by = -1, .role = role
			};
			char body[BODY_SIZE];
			struct outcome o;
			bool ok;

			snprintf(c.name, sizeof c.name, "first %s", role_name(role));
			change_body(&c, body);
			ok = rig_do(&rig,
				     &(struct request){ &use_token_create, .body = body,
					     .workspace = model.workspaces[ws] },
				     &o) == OK &&
			     model_apply(&model, &c, &o);
			outcome_done(&o);
			if (!ok) return false;
		}
	return true;
}

static void first_workspace(void *ctx, int columns, const char *const *texts)
{
	(void)ctx, (void)columns;
	snprintf(model.workspaces[0], sizeof model.workspaces[0], "%.15s", texts[0]);
}

static bool begin(uint64_t seed)
{
	struct raw_sql *raw;
	bool ok;

	chance = seed;
	if (!rig_open(&rig, &(struct rig_options){ .one_writer = true })) return false;
	raw = raw_open(rig.place);
	ok = raw && raw_each(raw, "SELECT name FROM workspaces WHERE id = 1",
			    first_workspace, NULL) == 1;
	raw_close(raw);
	if (!ok || !workspaces_make() || !people_make()) return false;
	raw = raw_open(rig.place);
	ok = raw && records_fit_people(&model, &rig, raw, rig.why.detail);
	raw_close(raw);
	return ok;
}

/* One history; true: every promise was kept. */
static bool history_run(int64_t want, uint64_t seed)
{
	char wrong[WRONG_SIZE];
	struct raw_sql *raw;
	int batches = 0;
	bool ok;

	memset(&model, 0, sizeof model);
	ok = begin(seed);
	if (!ok) printf("cannot begin: %s\n", rig.why.detail);
	while (ok && model.changes < want)
		ok = batch_run(++batches);
	if (ok) {
		raw = raw_open(rig.place);
		ok = raw && records_fit_rest(&model, &rig, raw, wrong);
		if (!ok) printf("at the end: %s\n", raw ? wrong : "no store");
		raw_close(raw);
	}
	printf("%s: %" PRId64 " changes in %d batches, %" PRId64
	       " acknowledged, seed %" PRIu64 "\n",
		ok ? "ok" : "FAIL", model.changes, batches, model.acknowledged, seed);
	rig_close(&rig);
	return ok;
}

int main(int argc, char **argv)
{
	const char *given = getenv("PARLEY_SEED");
	int64_t want = argc > 1 ? strtoll(argv[1], NULL, 10) : 10000;
	uint64_t seed = given ? strtoull(given, NULL, 10) : 1;
	uint64_t last = getenv("PARLEY_LONG") ? seed + 19 : seed;

	if (argc > 3 && strcmp(argv[2], "--seed") == 0)
		last = seed = strtoull(argv[3], NULL, 10);
	while (seed <= last)
		if (!history_run(want, seed++)) return 1;
	return 0;
}
