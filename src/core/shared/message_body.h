/* message_body.h - the body of a message to an agent that Parley runs. Pure. */
#ifndef CORE_MESSAGE_BODY_H
#define CORE_MESSAGE_BODY_H

#include "base/json.h"

enum { SAY_MAX = 100000, SAY_TITLE = 80 };

struct say {
	struct str content;
	struct str agent;	   /* name or id; empty: the session's */
	struct str language;	   /* en, fr; or empty */
	const struct json *limits; /* or NULL */
	bool now;		   /* the model call under way is given up */
	bool queue;		   /* else: only if it can begin at once */
};

/* Is it a language of the catalogue? */
bool message_language_valid(struct str);
#define LANGUAGE_MUST "en or fr"
enum err message_body_read(const struct json *body, struct say *out, struct fault *why);
/* The first line of it, short enough for a title; in the arena. */
struct str message_title(struct str content, struct arena *);

#endif
