/* model.c - the rules of users, tokens, sessions and asks once more, as simply as they
 * can be said. */
#include "model.h"

#include <string.h>

void model_start(struct model *m)
{
	for (int i = 0; i < m->users_len; i++) {
		struct model_user *u = &m->users[i];

		u->touched = u->changed = false;
		u->role_at_start = u->role;
		u->out_at_start = u->disabled || u->gone;
	}
	for (int i = 0; i < m->tokens_len; i++)
		m->tokens[i].gone_at_start = m->tokens[i].gone;
}

int model_owners(const struct model *m, int ws, int but)
{
	int owners = 0;

	for (int i = 0; i < m->users_len; i++) {
		const struct model_user *u = &m->users[i];

		owners += u->ws == ws && !u->gone && !u->disabled &&
			  u->role == ROLE_OWNER && i != but;
	}
	return owners;
}

int model_find_user(const struct model *m, int ws, const char *name)
{
	for (int i = 0; i < m->users_len; i++)
		if (m->users[i].ws == ws && !m->users[i].gone &&
			strcmp(m->users[i].name, name) == 0)
			return i;
	return -1;
}

/* ROLE_NONE: it lets nobody in. */
static enum role role_of(const struct model *m, int by, bool now)
{
	const struct model_token *t = &m->tokens[by];
	const struct model_user *u;
	enum role role;

	if (by < 0) return ROLE_LOCAL_ADMIN;
	if (now ? t->gone : t->gone_at_start) return ROLE_NONE;
	if (t->user < 0) return t->role;
	u = &m->users[t->user];
	if (now ? u->disabled || u->gone : u->out_at_start) return ROLE_NONE;
	role = now ? u->role : u->role_at_start;
	return t->role < role ? t->role : role;
}

static bool is_admin(enum role r)
{
	return r == ROLE_ADMIN || r == ROLE_OWNER || r == ROLE_LOCAL_ADMIN;
}

/* Nobody acts on or through somebody above them. */
static bool reaches(enum role by, enum role role)
{
	return role <= by;
}

static bool name_is_free(const struct model *m, int ws, const char *name, int but)
{
	int user = model_find_user(m, ws, name);

	return user < 0 || user == but;
}

static bool patch_allowed(
	const struct model *m, const struct model_change *c, enum role role)
{
	const struct model_user *u = &m->users[c->target];
	bool self = c->by >= 0 && m->tokens[c->by].user == c->target;
	bool lowers = (c->has_role && c->role != ROLE_OWNER) ||
		      (c->has_disabled && c->disabled);

	if (role == ROLE_NONE || u->gone) return false;
	if (!is_admin(role) && (!self || c->has_role || c->has_disabled)) return false;
	if (!reaches(role, u->role)) return false;
	if (c->has_role && !reaches(role, c->role)) return false;
	if (lowers && u->role == ROLE_OWNER && model_owners(m, u->ws, c->target) == 0)
		return false;
	return !c->has_name || name_is_free(m, u->ws, c->name, c->target);
}

static bool token_allowed(
	const struct model *m, const struct model_change *c, enum role role)
{
	int user = model_find_user(m, c->ws, c->name);

	if (!is_admin(role) || !reaches(role, c->role)) return false;
	if (c->role == ROLE_AGENT || user < 0) return true;
	return reaches(role, m->users[user].role) && m->users[user].role >= c->role;
}

static bool token_delete_allowed(
	const struct model *m, const struct model_token *t, enum role role)
{
	if (!is_admin(role) || t->gone) return false;
	return t->user < 0 || reaches(role, m->users[t->user].role);
}

static bool may_settle(enum role r)
{
	return r == ROLE_MEMBER || r == ROLE_ADMIN || r == ROLE_OWNER;
}

bool model_allows(const struct model *m, const struct model_change *c, bool now)
{
	enum role role = role_of(m, c->by, now);
	const struct model_session *s = &m->sessions[c->target];
	const struct model_ask *a = &m->asks[c->target];
	const struct model_user *u = &m->users[c->target];

	switch (c->act) {
	case USER_CREATE:
		return is_admin(role) && reaches(role, c->role) &&
		       name_is_free(m, c->ws, c->name, -1);
	case USER_PATCH: return patch_allowed(m, c, role);
	case USER_DELETE:
		return is_admin(role) && !u->gone && reaches(role, u->role) &&
		       (u->role != ROLE_OWNER || model_owners(m, u->ws, c->target) > 0);
	case TOKEN_CREATE: return token_allowed(m, c, role);
	case TOKEN_DELETE: return token_delete_allowed(m, &m->tokens[c->target], role);
	case SESSION_CREATE: return role == ROLE_AGENT;
	case SESSION_DELETE:
	case ASK: return role == ROLE_AGENT && !s->gone;
	case ANSWER:
		return may_settle(role) && a->pending && !m->sessions[a->session].gone;
	case SETTLE_MANY: return may_settle(role); /* each ask has its own outcome */
	case ACTS: break;
	}
	return false;
}

/* ---- what an acknowledged change does ---- */

static bool copy_id(char out[ID_SIZE], struct str id)
{
	snprintf(out, ID_SIZE, "%.*s", STR_ARGS(id));
	return id.len > 0 && id.len < ID_SIZE;
}

static int user_add(struct model *m, int ws, const char *name, enum role role)
{
	struct model_user *u = &m->users[m->users_len];

	if (m->users_len == USERS_MAX) return -1;
	*u = (struct model_user){ .ws = ws,
		.role = role,
		.touched = true,
		.changed = true,
		.out_at_start = true };
	snprintf(u->name, sizeof u->name, "%s", name);
	return m->users_len++;
}

static bool token_add(struct model *m, const struct model_change *c, struct outcome *o)
{
	struct model_token *t = &m->tokens[m->tokens_len];
	int user = -1;

	if (m->tokens_len == TOKENS_MAX) return false;
	*t = (struct model_token){ .ws = c->ws, .role = c->role, .gone_at_start = true };
	if (c->role != ROLE_AGENT) {
		user = model_find_user(m, c->ws, c->name);
		if (user < 0) {
			user = user_add(m, c->ws, c->name, c->role);
			if (user < 0 ||
				!copy_id(m->users[user].id, text_at(o->json, "user")))
				return false;
		}
	}
	t->user = user;
	snprintf(t->name, sizeof t->name, "%s", c->name);
	memcpy(t->secret, o->task.secret, SECRET_SIZE);
	m->tokens_len++;
	return copy_id(t->id, text_at(o->json, "id"));
}

static void patch_apply(struct model *m, const struct model_change *c)
{
	struct model_user *u = &m->users[c->target];

	struct model_user before = *u;

	if (c->has_role) u->role = c->role;
	if (c->has_disabled) u->disabled = c->disabled;
	if (c->has_name) snprintf(u->name, sizeof u->name, "%s", c->name);
	u->touched = true;
	if (before.role != u->role || before.disabled != u->disabled ||
		strcmp(before.name, u->name) != 0)
		u->changed = true;
}

static void user_remove(struct model *m, int user)
{
	m->users[user].gone = true;
	for (int i = 0; i < m->tokens_len; i++)
		if (m->tokens[i].user == user) m->tokens[i].gone = true;
}

static void settle(struct model *m, struct model_ask *a)
{
	a->pending = false;
	a->delivered = m->sessions[a->session].webhook;
}

static void session_remove(struct model *m, int session)
{
	m->sessions[session].gone = true;
	for (int i = 0; i < m->asks_len; i++)
		if (m->asks[i].session == session) m->asks[i].pending = false;
}

/* Which of the two were still open? The second may be the first once more. */
static void many_apply(struct model *m, const struct model_change *c)
{
	const int both[] = { c->target, c->other };

	for (int i = 0; i < 2; i++) {
		struct model_ask *a = &m->asks[both[i]];

		if (a->pending && !m->sessions[a->session].gone) settle(m, a);
	}
}

bool model_apply(struct model *m, const struct model_change *c, struct outcome *o)
{
	bool shown = outcome_read(o);
	int user;

	m->acknowledged++;
	switch (c->act) {
	case USER_CREATE:
		user = user_add(m, c->ws, c->name, c->role);
		return shown && user >= 0 &&
		       copy_id(m->users[user].id, text_at(o->json, "id"));
	case USER_PATCH: patch_apply(m, c); return shown;
	case USER_DELETE: user_remove(m, c->target); return true;
	case TOKEN_CREATE: return shown && token_add(m, c, o);
	case TOKEN_DELETE: m->tokens[c->target].gone = true; return true;
	case SESSION_CREATE:
		if (m->sessions_len == SESSIONS_MAX) return false;
		m->sessions[m->sessions_len] = (struct model_session){
			.ws = c->ws, .agent = c->by, .webhook = c->disabled
		};
		return shown &&
		       copy_id(m->sessions[m->sessions_len++].id, text_at(o->json, "id"));
	case SESSION_DELETE: session_remove(m, c->target); return true;
	case ASK:
		if (m->asks_len == ASKS_MAX) return false;
		m->asks[m->asks_len] =
			(struct model_ask){ .session = c->target, .pending = true };
		return shown &&
		       copy_id(m->asks[m->asks_len++].id, text_at(o->json, "id"));
	case ANSWER: settle(m, &m->asks[c->target]); return true;
	case SETTLE_MANY: many_apply(m, c); return true;
	case ACTS: break;
	}
	return false;
}
