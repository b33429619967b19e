/* model.h - what must hold, in plain structs: the rules of the contract once more,
 * without store, threads or time of their own. Knows nothing of the desk.
 *
 * A model is one flat struct, so that a moment can be kept by copying it: what is not
 * known to have happened is tried on a copy. Asks and sessions are known by index; their
 * ids come from the log. */
#ifndef SIM_MODEL_H
#define SIM_MODEL_H

#include "base/fault.h"
#include "base/id.h"
#include "core/session/session.h"

enum {
	PLACES = 2, /* workspaces */
	ASKS_MAX = 160,
	SESSIONS_MAX = 120,
	KEYS_MAX = 200,
	LOG_MAX = 1500,
	STAGED_MAX = 80,
	MANY_IDS = 4,
	VOTES_NEEDED = 2,
	NOBODY = -1,
	BY_DEFAULT = -2
};

/* ---- who ---- */

enum who {
	ALPHA_1,
	ALPHA_2,
	BETA,
	FAR_ALPHA,
	MIA,
	ADA,
	VIC,
	NED,
	OLGA,
	STRANGER,
	WHO_LEN
};

struct actor {
	const char *name;
	enum role role;
	int place;	   /* index of the workspace */
	const char *agent; /* that their asks go under */
};
extern const struct actor actors[WHO_LEN];

/* ---- what they do ---- */

enum act {
	ACT_ASK,
	ACT_ANSWER,
	ACT_SKIP,
	ACT_CANCEL,
	ACT_MANY,
	ACT_REPLY,
	ACT_ASSIGN,
	ACT_CLAIM,
	ACT_EXTEND,
	ACT_USE,
	ACT_SESSION,
	ACT_PATCH,
	ACT_END,
	ACT_DELETE,
	ACT_PROGRESS,
	ACT_EXPIRE, /* the clock's */
	ACT_LEN
};

/* What an ask's body looks like, and what fits as its answer. */
enum form {
	FORM_YES,
	FORM_PLAIN,
	FORM_CHOICE,
	FORM_TEXT,
	FORM_APPROVAL,
	FORM_RECOVERY,
	FORM_LEN
};

/* One request. What the body says is kept beside it in members, as the model reads no
 * JSON. */
struct op {
	enum act act;
	enum who who;
	int ask;      /* index, or NOBODY: an id that is nobody's */
	int session;  /* the same; for an ask NOBODY: a new one */
	bool by_path; /* the session of an ask is named by the path */
	bool spoiled; /* the body is wrong in itself */
	int key;      /* 0: none */
	int number;   /* no other has it; in the operation and in titles */
	char body[640];
	uint64_t body_hash;
	/* an ask's */
	enum ask_kind kind;
	enum form form;
	bool has_default, has_operation;
	bool voted; /* it takes VOTES_NEEDED approvals of one operation */
	enum risk risk;
	int64_t timeout_ms; /* EXTEND too; 0: none */
	int assignees;	    /* a bit an actor; ASSIGN too */
	bool bad_assignee;  /* one is nobody of this workspace */
	/* an answer's */
	char answer[120]; /* canonical, as it must be shown; "": it does not fit */
	bool approves;
	int arguments; /* edited: 0 is none */
	char digest[DIGEST_SIZE];
	/* MANY */
	int many[MANY_IDS], many_len;
	bool many_skip;
	/* SESSION */
	int external; /* 0: none */
	bool parallel;
	const char *agent; /* NULL: not given */
	/* PATCH */
	bool has_title, has_status;
	enum session_status status;
	int title;
};

/* ---- what is ---- */

struct model_ask {
	char id[ID_SIZE];
	int place, session;
	enum who asked_by;
	enum ask_kind kind;
	enum form form;
	enum risk risk;
	enum ask_status status;
	bool has_default, exclusive, gone;
	int version, replies, assignees;
	int64_t created_ms, deadline_ms, settled_ms, used_ms, claimed_until_ms;
	int claimed_by; /* who, or NOBODY */
	int settled_by; /* who, NOBODY or BY_DEFAULT */
	bool approved;
	char answer[120];
	bool has_digest;
	char digest[DIGEST_SIZE], approved_digest[DIGEST_SIZE];
	int arguments; /* as approved; 0: as asked */
	int number;    /* of the body: in its operation */
	bool voted;
	/* Who stands for what, where it is voted on; arguments: 0 is as asked. */
	struct {
		bool given, approves;
		int arguments;
	} votes[WHO_LEN];
};

struct model_session {
	char id[ID_SIZE];
	int place;
	const char *agent;
	bool parallel, gone;
	bool for_ask;	  /* made for one ask */
	int64_t heard_ms; /* when somebody asked, told of progress or set its status */
	int external;
	int title; /* 0: what its first ask says */
	enum session_status status;
	int open[ASK_ERROR_RECOVERY + 1]; /* by kind */
	int settled;
};

struct model_key {
	enum who who;
	enum act act;
	int on; /* ask or session index of the path; NOBODY: none */
	int key, status;
	uint64_t body_hash;
	int ask, session; /* the record */
	int dies_with;	  /* session, or NOBODY */
	int results[MANY_IDS], results_len;
};

struct model_event {
	const char *type;
	int session, ask; /* ask: NOBODY when there is none */
	int64_t at_ms;
	enum session_status status; /* of session.status */
	bool wakes;		    /* whoever waits for the ask */
	bool any_order;		    /* with its neighbours that say so too */
};

struct model {
	struct model_ask asks[ASKS_MAX];
	struct model_session sessions[SESSIONS_MAX];
	struct model_key keys[KEYS_MAX];
	int asks_len, sessions_len, keys_len;
	struct model_event log[PLACES][LOG_MAX];
	int log_len[PLACES];
	/* Made by model_apply, moved to the log by model_match. */
	struct model_event staged[STAGED_MAX];
	int staged_len;
};

/* What the desk must say to an op. */
struct expect {
	enum err err;
	int status;
	int ask, session;		    /* shown in the reply, or NOBODY */
	int results[MANY_IDS], results_len; /* statuses */
};

/* Does it, staging its events. */
void model_apply(struct model *, const struct op *, int64_t now_ms, struct expect *out);

/* An event as the store has it. */
struct seen {
	int64_t n;
	const char *type;
	int64_t at_ms;
	char session[ID_SIZE], ask[ID_SIZE], agent[32];
	char data[200];
};
/* Takes what was staged off the front of what the store has; names what is new. False:
 * they differ, and `why` says where. *taken counts per place what was taken. */
bool model_match(struct model *, const struct seen *const at[PLACES],
	const int len[PLACES], int taken[PLACES], char why[200]);
bool model_same_event(const struct model *, int place, int64_t n, const struct seen *);

/* What is recorded under the key of an op, or NULL. */
const struct model_key *model_key(const struct model *, const struct op *);
bool model_full(const struct model *);
bool model_sees(enum who, const char *agent, int place);
bool model_open(const struct model_ask *);
int model_due(const struct model *, int64_t now_ms); /* how many deadlines are to fire */
/* "sha256:…" over the operation of an ask, with other arguments if not 0. */
void model_digest(const struct model *, const struct model_ask *, int arguments,
	char out[DIGEST_SIZE]);

#endif
