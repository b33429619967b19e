/* principal.h - who makes a request, and what their role may do. Prefixes: role_, agent_. */
#ifndef CORE_PRINCIPAL_H
#define CORE_PRINCIPAL_H

#include "base/str.h"

enum role {
	ROLE_NONE,
	ROLE_AGENT,  /* asks; reads and cancels its own; never settles or routes */
	ROLE_VIEWER, /* reads */
	ROLE_MEMBER, /* answers */
	ROLE_ADMIN,
	ROLE_OWNER,
	ROLE_LOCAL_ADMIN, /* the local 0600 socket: administers, never asks or settles */
};

enum permission {
	MAY_ENTER,    /* whoever has a credential */
	MAY_READ_ALL, /* everybody's asks, sessions, events */
	MAY_ASK,
	MAY_SETTLE,   /* answer, skip */
	MAY_ROUTE,    /* claim, assign, extend */
	MAY_WITHDRAW, /* cancel what another asked; change another's session */
	MAY_ADMIN,    /* users, tokens */
	MAY_RUN,      /* start, write to and stop agents that Parley runs */
};

/* Strings are borrowed. */
struct principal {
	int64_t ws;
	enum role role;
	struct str token; /* tok_… */
	struct str user; /* usr_…: the requester of what is asked; empty for an agent */
	struct str name; /* the person's or the token's name */
	struct str agent; /* what asks go under: the agent's name, or a person's id */
	struct str via;	  /* "web" for a cookie; else "api", or what the client says */
	bool runs;	  /* an agent's token that was made to run agents */
	/* What its token is bound to (core/people/project.h); empty: nothing. */
	struct str projects;
};

const char *role_name(enum role);
bool role_read(struct str, enum role *); /* agent viewer member admin owner */
bool role_may(enum role, enum permission);
/* The same, and MAY_RUN for an agent whose token says so. */
bool principal_may(const struct principal *, enum permission);
/* Do p's asks go under this agent's name? */
bool principal_asks_as(const struct principal *, struct str agent);
/* May p see what this agent asked? What one may not see is not found. */
bool principal_sees(const struct principal *, struct str agent);
/* May p cancel, change or delete what this agent asked or made? */
bool principal_owns(const struct principal *, struct str agent);
/* The user that p is in person; empty: p is an agent, also a person's, or nobody in
 * particular. */
struct str principal_person(const struct principal *);
/* Who started what p starts: the person, or an agent's token. */
struct str principal_starter(const struct principal *);
/* May p act on, or through, somebody of this role? Nobody does above themselves. */
bool principal_reaches(const struct principal *, enum role);
/* What rules call who asks: a person by the id, a program by the name that is shown. */
struct str agent_known(struct str agent, struct str name);
/* "agt_" and 26 characters that depend on workspace and name alone. */
void agent_id(int64_t ws, struct str name, char out[32]);

#endif
