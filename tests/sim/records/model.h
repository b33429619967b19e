/* model.h - what must be true of users, tokens, sessions, asks and deliveries, as plain
 * structs. A change is predicted from the model, made by the desk, and then applied to
 * the model when the desk acknowledged it.
 *
 * Changes of one batch are decided in their order, each seeing those before it. One thing
 * is left open: whether the role of who asks is that at the start of the batch or at its
 * own turn. */
#ifndef TESTS_SIM_RECORDS_MODEL_H
#define TESTS_SIM_RECORDS_MODEL_H

#include "core/shared/principal.h"
#include "desk_rig.h"

#include <stdio.h>

enum {
	WORKSPACES = 2,
	USERS_MAX = 4096,
	TOKENS_MAX = 8192,
	SESSIONS_MAX = 8192,
	ASKS_MAX = 16384,
	NAMES = 24, /* few, so that they meet */
	BATCH_MAX = 8,
	BODY_SIZE = 512,
};

struct model_user {
	int ws;
	char id[ID_SIZE], name[16];
	enum role role;
	bool disabled, gone;
	int64_t version;
	bool touched, changed; /* by an acknowledged change of this batch */
	enum role role_at_start;
	bool out_at_start; /* disabled or gone */
};

struct model_token {
	int ws;
	char id[ID_SIZE], secret[SECRET_SIZE], name[16];
	enum role role;
	int user; /* -1: an agent's */
	bool gone, gone_at_start;
};

struct model_session {
	int ws, agent; /* its token */
	char id[ID_SIZE];
	bool webhook, gone;
};

struct model_ask {
	int session;
	char id[ID_SIZE];
	bool pending, delivered;
};

enum act {
	USER_CREATE,
	USER_PATCH,
	USER_DELETE,
	TOKEN_CREATE,
	TOKEN_DELETE,
	SESSION_CREATE,
	SESSION_DELETE,
	ASK,
	ANSWER,
	SETTLE_MANY,
	ACTS
};

/* One change: who wants what of whom. */
struct model_change {
	enum act act;
	int ws;
	int by;	    /* a token; -1: the local admin */
	int target; /* a user, token, session or ask */
	int other;  /* SETTLE_MANY: a second ask */
	bool has_role, has_disabled, has_name, disabled, keyed;
	enum role role;
	char name[16];
};

struct model {
	struct model_user users[USERS_MAX];
	struct model_token tokens[TOKENS_MAX];
	struct model_session sessions[SESSIONS_MAX];
	struct model_ask asks[ASKS_MAX];
	int users_len, tokens_len, sessions_len, asks_len;
	char workspaces[WORKSPACES][16];
	int64_t changes, acknowledged;
};

/* Before a batch. */
void model_start(struct model *);
/* May this change be acknowledged, with the role at its turn (now) or at the start of the
 * batch? */
bool model_allows(const struct model *, const struct model_change *, bool now);
int model_owners(const struct model *, int ws, int but); /* enabled ones */
/* The user of this name, or -1. */
int model_find_user(const struct model *, int ws, const char *name);
/* It was acknowledged, with this reply. False: the reply lacks what it must have. */
bool model_apply(struct model *, const struct model_change *, struct outcome *);

#endif
