/* people.h - people and what they hold: users, their tokens, their marks on asks.
 * Prefixes: user_, token_, away_. */
#ifndef CORE_PEOPLE_H
#define CORE_PEOPLE_H

#include "base/hash.h"
#include "base/json.h"
#include "core/shared/digest.h"
#include "core/shared/principal.h"

/* Strings are borrowed. Empty means null. */
struct user {
	int64_t ws;
	struct str id;
	struct str name; /* unique in its workspace */
	enum role role;
	struct str password; /* argon2id's text; empty: none */
	struct str language;
	bool disabled;
	int64_t last_login_ms; /* 0: never */
	int64_t created_ms;
	int64_t version;
	struct str views; /* JSON array of saved filters, or empty */
	struct str away;  /* JSON object, core/people/away.h; empty: they are here */
};

/* cookie: a login. code: a login link, used once. */
enum token_kind { TOKEN_BEARER, TOKEN_COOKIE, TOKEN_CODE };

struct token {
	uint8_t hash[SHA256_SIZE]; /* of the secret, which is shown once */
	int64_t ws;
	struct str id;
	enum token_kind kind;
	struct str role; /* what it may at most; empty: as its user */
	struct str name;
	struct str agent; /* the name its asks go under */
	struct str user;  /* usr_…; empty: an agent's own */
	struct str tools; /* JSON array of MCP tools, or empty: all */
	struct str last4; /* of the secret */
	int64_t created_ms;
	int64_t expires_ms; /* 0: never */
	int64_t mcp_wait_s; /* how long an MCP call is held; -1: as the server does */
	bool mcp_local;	    /* its client may show a question by itself */
	int64_t version;
	int64_t last_used_ms; /* 0: never; kept lazily */
	/* For how long an answer that nobody waited for is given to the same question asked
	 * again; -1: as the server does. */
	int64_t again_s;
	struct str maker; /* usr_… who made it; empty: the shell, or it is unknown */
	bool runs;	  /* an agent's: it may run agents of ours */
	/* Of a cookie: the login it belongs to and when that began, where it replaced another;
	 * from where, and with what, its person logged in. */
	struct str login;
	int64_t begun_ms;
	struct str origin;
	struct str client;
	/* An agent's: what it is bound to, core/people/project.h; or empty. */
	struct str projects;
};

const char *token_kind_name(enum token_kind);
bool token_kind_read(struct str, enum token_kind *);
/* The id of the login that a cookie belongs to: that of its first one. Borrowed. */
struct str token_login(const struct token *);

/* One person's own mark on one ask. */
struct mark {
	int64_t ws;
	struct str user;
	struct str ask;
	struct str session;
	int64_t read_ms;    /* 0: unread */
	int64_t snoozed_ms; /* until then; 0: not */
	int64_t version;
};

/* The first run of a workspace. */
struct start_record {
	int64_t ws;
	struct str test; /* the test question: ask_…; empty: not asked yet */
	int64_t done_ms; /* when it was done or dismissed; 0: it goes on */
	int64_t version;
};

/* What an event of people tells of; not when they came last, nor views of their own. */
void user_digest(const struct user *, char out[SHORT_DIGEST_SIZE]);
void token_digest(const struct token *, char out[SHORT_DIGEST_SIZE]);

/* ---- who is away, from when to when, and who stands in for them ---- */

enum { AWAY_MAX_DAYS = 90, AWAY_NOTE_MAX = 500, AWAY_CHAIN_MAX = 3 };

struct away {
	int64_t from_ms, until_ms;
	struct str delegate; /* usr_…; empty: nobody stands in */
	struct str note;
	struct str by; /* usr_… who set it for them; empty: they did */
};

/* {"from"?, "until", "delegate"?, "note"?}; without `from` from now on. */
enum err away_read(
	const struct json *body, int64_t now_ms, struct away *out, struct fault *why);
/* As it was stored; false: they are not away at all, at any time. */
bool away_load(const struct user *, struct arena *, struct away *out);
struct str away_text(const struct away *, struct arena *);
static inline bool away_holds(const struct away *a, int64_t now_ms)
{
	return a->from_ms <= now_ms && now_ms < a->until_ms;
}

#endif
