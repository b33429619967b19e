/* elicit.h - an ask as a form that the client shows itself, and what came back from
 * it. */
#ifndef MCP_ELICIT_H
#define MCP_ELICIT_H

#include "core/ask/ask.h"
#include "mcp/revision.h"

enum elicit_mode { ELICIT_NOT, ELICIT_FORM, ELICIT_URL };

/* How this client can show this ask. What a form cannot show becomes a page. */
enum elicit_mode elicit_mode(const struct ask_json *, const struct mcp_client *);
/* The params of elicitation/create, as members of an object that is open. */
void elicit_write(struct json_writer *, const struct ask_json *, enum elicit_mode,
	enum revision, struct arena *);

enum elicited {
	ELICITED_NOTHING,  /* that settles it: a page was opened, or the form put away */
	ELICITED_AGAIN,	   /* no response: it is to be asked for again */
	ELICITED_PART,	   /* a part of what was wanted; the body of a reply keeps it */
	ELICITED_ANSWER,   /* the body of an answer */
	ELICITED_DECLINED, /* the question is skipped */
};
/* What the person did; an answer becomes the body of POST /v1/asks/{id}/answer. */
enum elicited elicit_read(const struct json *result, const struct ask_json *,
	struct arena *, struct str *body);

#endif
