/* problem.c - the table of problems. */
#include "desk/shared/problem.h"

static const struct {
	int status;
	const char *type;
	const char *title;
} problems[] = {
	[OK] = { 200, "about:blank", "OK" },
	[ERR_BAD_REQUEST] = { 400, "/problems/bad-request", "Bad request" },
	[ERR_NO_TOKEN] = { 401, "/problems/unauthorized", "No or unknown token" },
	[ERR_FORBIDDEN] = { 403, "/problems/forbidden", "Not yours to do" },
	[ERR_NOT_ENTITLED] = { 403, "/problems/not-entitled", "Not yours to settle" },
	[ERR_PROJECT] = { 403, "/problems/project", "Another project" },
	[ERR_NOT_FOUND] = { 404, "/problems/not-found", "Not found" },
	[ERR_METHOD] = { 405, "/problems/method-not-allowed", "Method not allowed" },
	[ERR_CONFLICT] = { 409, "/problems/conflict", "Conflict" },
	[ERR_REVOKED] = { 409, "/problems/revoked", "The approval was revoked" },
	[ERR_FULL] = { 409, "/problems/busy", "Busy" },
	[ERR_HELD] = { 409, "/problems/held", "Held" },
	[ERR_NOT_SETTLED] = { 409, "/problems/pending", "Still open" },
	[ERR_USED] = { 409, "/problems/used", "The approval was used" },
	[ERR_APPROVAL] = { 403, "/problems/approval", "Not an approval of this" },
	[ERR_READ_ONLY] = { 409, "/problems/read-only", "Defined by the configuration" },
	[ERR_VERIFYING] = { 409, "/problems/verifying", "Being verified" },
	[ERR_STOPPED] = { 409, "/problems/stopped", "Stopped" },
	[ERR_DENIED] = { 409, "/problems/denied", "Denied by a rule" },
	[ERR_DENIED_ANSWER] = { 403, "/problems/denied", "Denied by a rule" },
	[ERR_REJECTED] = { 403, "/problems/rejected", "Rejected" },
	[ERR_APPROVAL_PENDING] = { 403, "/problems/approval-pending",
		"Waiting for approval" },
	[ERR_AHEAD] = { 409, "/problems/ahead", "There are fewer events" },
	[ERR_MANDATE_SPENT] = { 409, "/problems/mandate-spent",
		"Nothing is left of the approval in advance" },
	[ERR_STALE] = { 409, "/problems/stale", "It has changed since" },
	[ERR_TOO_BIG] = { 413, "/problems/too-large", "Too large" },
	[ERR_MEDIA_TYPE] = { 415, "/problems/unsupported-media-type",
		"Unsupported media type" },
	[ERR_VOTES] = { 422, "/problems/votes", "Approvals are required" },
	[ERR_ALONE] = { 422, "/problems/one-by-one", "To be decided by itself" },
	[ERR_UNVERIFIED] = { 422, "/problems/unverified", "Not verified" },
	[ERR_INVALID] = { 422, "/problems/invalid", "Invalid request" },
	[ERR_RATE] = { 429, "/problems/too-many-requests", "Too many requests" },
	[ERR_TOO_MANY] = { 429, "/problems/too-many", "Too many asks in one session" },
	[ERR_CHANNEL_OFF] = { 503, "/problems/channel-off",
		"The channel is not configured" },
	[ERR_NO_KEY] = { 503, "/problems/no-key", "No key to sign with" },
	[ERR_UNAVAILABLE] = { 503, "/problems/unavailable",
		"Unavailable: nothing was accepted" },
	[ERR_UNKNOWN] = { 503, "/problems/outcome-unknown", "Outcome unknown" },
	[ERR_MEMORY] = { 503, "/problems/unavailable",
		"Unavailable: nothing was accepted" },
	[ERR_BUSY] = { 503, "/problems/unavailable",
		"Unavailable: nothing was accepted" },
	[ERR_INTERNAL] = { 500, "/problems/internal", "Internal error" },
};

int problem_status(enum err e)
{
	return problems[e].status;
}

void problem_open(struct json_writer *w, enum err e, int status, const struct fault *why)
{
	jw_object(w);
	jw_put_text(w, "type", problems[e].type);
	jw_put_text(w, "title", problems[e].title);
	jw_put_int(w, "status", status);
	jw_put_text(w, "detail", why->detail);
	if (why->items_len) {
		jw_put_array(w, "errors");
		for (int i = 0; i < why->items_len; i++) {
			jw_object(w);
			jw_put_text(w, "pointer", why->items[i].pointer);
			jw_put_text(w, "detail", why->items[i].detail);
			jw_object_end(w);
		}
		jw_array_end(w);
	}
}

void problem_write(
	struct json_writer *w, enum err e, const struct fault *why, struct str ask)
{
	problem_open(w, e, problems[e].status, why);
	if (why->member) jw_put_text(w, why->member, why->member_text);
	if (ask.len) jw_put_raw(w, e == ERR_HELD ? "holds" : "ask", ask);
	jw_object_end(w);
}
