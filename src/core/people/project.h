/* project.h - the project of what is asked, and the projects that a token is bound to. */
#ifndef CORE_PROJECT_H
#define CORE_PROJECT_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"

enum {
	PROJECT_MAX = 100,	 /* characters of a name or a pattern */
	TOKEN_PROJECTS_MAX = 20, /* patterns of one token */
};

/* What a request says of its project; either may be empty. Borrowed. */
struct project_said {
	struct str name; /* somebody named it */
	/* The folder that the caller works in: a guess, which gives way. */
	struct str work_tree;
};

/* ERR_INVALID unless it is one line of 1 to PROJECT_MAX characters. */
enum err project_check(struct str name, const char *pointer, struct fault *why);

/* What a token is bound to: its patterns, one a line; empty: it is not bound. */
enum err project_bound_read(const struct json *patterns, const char *pointer,
	struct arena *, struct str *out, struct fault *why);
void project_bound_write(struct json_writer *, struct str bound); /* an array, or null */
/* ERR_PROJECT when a token that is bound so has no business there. Without a project nobody
 * has to be kept out: it is not another one. */
enum err project_admit(struct str bound, struct str project, struct fault *why);

/* The project of what is asked; empty: none. `kept`: that of its session, which stays what it
 * is; or empty. ERR_INVALID: another one was named, or a bound token must name one. */
enum err project_choose(const struct project_said *, struct str bound, struct str kept,
	struct str *out, struct fault *why);

#endif
