/* principal.c - roles, what each may do, and which agents a principal sees. */
#include "core/shared/principal.h"

#include "base/hash.h"

enum {
	READ_ALL = 1 << MAY_READ_ALL,
	ASK = 1 << MAY_ASK,
	SETTLE = 1 << MAY_SETTLE,
	ROUTE = 1 << MAY_ROUTE,
	WITHDRAW = 1 << MAY_WITHDRAW,
	ADMIN = 1 << MAY_ADMIN,
	RUN = 1 << MAY_RUN,
};

static const struct {
	const char *name;
	unsigned may;
} roles[] = {
	[ROLE_NONE] = { "none", 0 },
	[ROLE_AGENT] = { "agent", ASK },
	[ROLE_VIEWER] = { "viewer", READ_ALL },
	[ROLE_MEMBER] = { "member", READ_ALL | ASK | SETTLE | ROUTE | RUN },
	[ROLE_ADMIN] = { "admin",
		READ_ALL | ASK | SETTLE | ROUTE | WITHDRAW | ADMIN | RUN },
	[ROLE_OWNER] = { "owner",
		READ_ALL | ASK | SETTLE | ROUTE | WITHDRAW | ADMIN | RUN },
	[ROLE_LOCAL_ADMIN] = { "local_admin", READ_ALL | ADMIN },
};

const char *role_name(enum role r)
{
	return roles[r].name;
}

bool role_read(struct str name, enum role *out)
{
	for (size_t i = ROLE_AGENT; i <= ROLE_OWNER; i++) {
		if (!str_is(name, roles[i].name)) continue;
		*out = (enum role)i;
		return true;
	}
	return false;
}

bool role_may(enum role r, enum permission d)
{
	return roles[r].may >> d & 1;
}

bool principal_may(const struct principal *p, enum permission d)
{
	return role_may(p->role, d) || (d == MAY_RUN && p->runs);
}

bool principal_asks_as(const struct principal *p, struct str agent)
{
	return role_may(p->role, MAY_ASK) && agent.len && str_eq(p->agent, agent);
}

bool principal_sees(const struct principal *p, struct str agent)
{
	return role_may(p->role, MAY_READ_ALL) || principal_asks_as(p, agent);
}

bool principal_owns(const struct principal *p, struct str agent)
{
	return role_may(p->role, MAY_WITHDRAW) || principal_asks_as(p, agent);
}

struct str principal_person(const struct principal *p)
{
	return p->role == ROLE_AGENT ? STR_NONE : p->user;
}

struct str principal_starter(const struct principal *p)
{
	struct str person = principal_person(p);

	return person.len ? person : p->token;
}

bool principal_reaches(const struct principal *p, enum role role)
{
	return role <= p->role;
}

static void agent_id_make(int64_t ws, struct str name, char out[32])
{
	static const char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";
	enum { PREFIX = 4, LETTERS = 26 };
	uint8_t hash[SHA256_SIZE];
	char space[sizeof ws];
	unsigned bits = 0, held = 0, next = 0;

	for (size_t i = 0; i < sizeof space; i++) /* the same on every machine */
		space[i] = (char)((uint64_t)ws >> 8 * i);
	sha256_2(str_make(space, sizeof space), name, hash);
	memcpy(out, "agt_", PREFIX);
	for (size_t i = 0; i < LETTERS; i++) {
		if (held < 5) {
			bits = bits << 8 | hash[next++];
			held += 8;
		}
		held -= 5;
		out[PREFIX + i] = alphabet[bits >> held & 31];
	}
	out[PREFIX + LETTERS] = '\0';
}

/* Every ask that is shown has one, and most in a row are one agent's: the last is kept. */
struct str agent_known(struct str agent, struct str name)
{
	return name.len && !str_starts(agent, "usr_") ? name : agent;
}

void agent_id(int64_t ws, struct str name, char out[32])
{
	static _Thread_local struct {
		int64_t ws;
		size_t len;
		char name[128];
		char id[32];
	} last;

	if (!name.len || name.len > sizeof last.name) {
		agent_id_make(ws, name, out);
		return;
	}
	if (last.ws != ws || last.len != name.len ||
		memcmp(last.name, name.at, name.len) != 0) {
		agent_id_make(ws, name, last.id);
		last.ws = ws;
		last.len = name.len;
		memcpy(last.name, name.at, name.len);
	}
	memcpy(out, last.id, sizeof last.id);
}
