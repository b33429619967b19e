/* people.h - users and tokens as the store holds them. Private to desk. */
#ifndef DESK_PEOPLE_H
#define DESK_PEOPLE_H

#include "desk/inner.h"

struct user {
	int64_t ws;
	struct str id, name;
	enum role role;
	struct str password, language;
	bool disabled;
	int64_t last_login_ms, created_ms;
	bool found;
	struct arena *arena;
};
row_fn user_from_row; /* ctx: struct user with its arena set */
enum err user_find(struct db *, int64_t ws, struct str id, struct user *, struct fault *);
void user_write(struct json_writer *, const struct user *, struct str login_code);

struct token {
	struct str id, role, name, agent, user,
		tools;	  /* tools: JSON array, or empty: all */
	struct str last4; /* of the secret */
	const char *kind; /* token, cookie, code */
	int64_t created_ms, expires_ms;
	int64_t mcp_wait_s; /* -1: as the server does */
	bool mcp_local;
};
/* Stages a token with a new secret; false: out of memory. The secret goes to out. */
bool token_stage(struct rows *, int64_t ws, struct token *, char out[SECRET_SIZE]);
/* Somebody may have lost a right: streams of every node are to look. */
bool revocations_raise(struct rows *, int64_t ws);
enum { CODE_MS = 7 * 24 * 3600 * 1000, COOKIE_DAYS = 30 };

#endif
