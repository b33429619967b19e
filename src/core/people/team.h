/* team.h - teams: who is in them, who leads, who is on call, which projects they cover. */
#ifndef CORE_TEAM_H
#define CORE_TEAM_H

#include "base/json.h"
#include "core/shared/body.h"
#include "core/shared/digest.h"
#include "core/shared/resources.h"

enum {
	TEAMS_MAX = 200,
	TEAM_NAME_MAX = 40,
	TEAM_MEMBERS_MAX = 500,
	TEAM_PROJECTS_MAX = 50,
	TEAM_PATTERN_MAX = 200,
};

/* Strings are borrowed. Empty means null. */
struct team {
	RESOURCE_MEMBERS(TEAM_COLUMNS)
};

struct team_member {
	struct str user;
	bool lead;
};

/* A team whose lists were read. Lives in an arena. */
struct team_parts {
	const struct team *team;
	struct team_member *members;
	size_t members_len;
	struct str *projects;
	size_t projects_len;
};

enum err team_parts(
	const struct team *, struct arena *, struct team_parts *out, struct fault *why);
/* NULL: they are not in it. */
const struct team_member *team_member(const struct team_parts *, struct str user);
bool team_covers(const struct team_parts *, struct str project);

/* What a body says. */
struct team_body {
	struct str name, on_call;
	struct team_member *members;
	size_t members_len;
	struct str *projects;
	size_t projects_len;
};
/* `more`: members beside them, of a change; NULL: a new team, which needs a name. */
enum err team_body_read(const struct json *, const struct members *more, struct arena *,
	struct team_body *out, struct fault *why);
/* The lists as they are stored. */
struct str team_members_text(const struct team_member *, size_t len, struct arena *);
struct str team_projects_text(const struct team_body *, struct arena *);
bool team_name_valid(struct str);

void team_write(struct json_writer *, const struct team *);

void team_digest(const struct team *, char out[SHORT_DIGEST_SIZE]);

#endif
