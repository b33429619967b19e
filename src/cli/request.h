/* request.h - what requests say: JSON objects of members, and commands that are one request, a
 * row each. */
#ifndef CLI_REQUEST_H
#define CLI_REQUEST_H

#include "cli/cli_call.h"

/* A member of an object: its value, or the first of the others that is given. It is left out when
 * none is. */
struct body_member {
	const char *name;
	struct str value;	 /* a text; an empty one is none */
	const struct json *json; /* any value */
	bool yes;		 /* true */
	struct str text;	 /* a text, also an empty one */
	struct str number; /* digits; another text as it is, for the server to refuse */
	struct str list;   /* texts with commas between; an empty one is none */
	struct str raw;	   /* JSON as it is */
};
struct str request_object(struct arena *, const struct body_member *);
#define BODY(cli, ...)                                                                   \
	request_object(&(cli)->arena, (const struct body_member[]){ __VA_ARGS__, { 0 } })

/* The words from this one on, as a JSON array. */
struct str request_word_list(struct cli *, size_t first);
/* An object's members without these names (blanks between), then `more`. */
struct str request_without(struct arena *, const struct json *object, const char *names,
	const struct body_member *more);
/* NAME=VALUE as a member: JSON where it is a number, true, false, null, an object or an array; else a text. False: it
 * is no such pair. */
bool request_pair(struct json_writer *, struct str pair, struct arena *);
/* {"reason": …}: the body of skip and cancel, from --reason. */
struct str request_reason(struct cli *);

/* A member of a row's body, and where it comes from. */
struct request_member {
	const char *name;
	const char *option; /* NULL: of the same name */
	enum {
		REQUEST_SOME,	/* a text; an empty one is left out */
		REQUEST_TEXT,	/* a text as it is */
		REQUEST_NUMBER, /* of digits; another text as it is */
		REQUEST_LIST,	/* texts with commas between */
		REQUEST_MANY,	/* all values of the option */
		REQUEST_SWITCH, /* true */
	} type;
};
enum { REQUEST_MEMBERS = 16 }; /* at most */

/* A command that is one request, named by its row. */
struct cli_request {
	const char *method;
	/* "/v1/tokens"; or what follows the row's resource and the first word: "/replay". */
	const char *path;
	const struct request_member *body; /* up to one without a name, or */
	const char *fixed;		   /* as it is; NULL: {} */
	const char *prints; /* the member of the reply that is printed; NULL: none */
	void (*shows)(
		struct cli *, const struct json *reply); /* instead; NULL: nothing */
};
int request_run(struct cli *);

#endif
