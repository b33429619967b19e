/* slack_call.h - calls to Slack: a method of its Web API, or an address that one of its payloads named.
 * Prefix: slack_. */
#ifndef CHANNEL_SLACK_CALL_H
#define CHANNEL_SLACK_CALL_H

#include "base/json.h"
#include "serve/pool_work.h"

/* A method of the Web API; `api` with or without a slash at its end. NUL-terminated. */
struct str slack_method_url(struct str api, struct str method, struct arena *);
/* May something be posted there because a payload says so? Under hooks.slack.com, or at the host
 * of `api`. */
bool slack_response_url_valid(struct str url, struct str api);

struct slack_call {
	const char *url;
	struct str token; /* empty: the address is the right */
	struct str body;
	bool form; /* the body is a form, and no JSON */
	int64_t timeout_ms;
	int stop_fd; /* as of fetch_request; -1: none */
};

/* Waits for the reply: for a thread of the pool, or a command. OK: Slack did it; else why->detail is
 * the name of Slack's error, or what kept the call from Slack. *said is Slack's JSON, or NULL. */
enum err slack_call(const struct slack_call *, struct arena *, const struct json **said,
	struct fault *why);

/* A call that is made in the pool. */
struct slack_post {
	struct pool_work work; /* first */
	struct arena arena;
	struct slack_call call;
	struct slack_call instead; /* made when that one fails; url NULL: none */
	/* Back on the loop; NULL: a failure is logged, and that is all. */
	void (*then)(struct slack_post *);
	struct request *request; /* that waits for it; or NULL */
	enum err err;
	struct fault why;
	const struct json *said;
};

/* `to`: a method, which is called with the bot's token, or an address. NULL: out of memory. */
struct slack_post *slack_post_new(struct serve *, struct str to, struct str body);
void slack_post_start(struct serve *, struct slack_post *);

#endif
