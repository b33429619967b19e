/* post.c - what all channels that send requests have in common. */
#include "channel/post.h"

static bool chosen_may_connect(void *ctx, const uint8_t bytes[16])
{
	struct claimed *c = ctx;
	struct address to;

	memcpy(to.bytes, bytes, sizeof to.bytes);
	return reach_allows(claimed_notify(c)->set.webhook_internal, &c->url, &to);
}

void post_send(struct claimed *c, struct outbound_request request)
{
	struct notify *n = claimed_notify(c);
	struct fault why = { 0 };

	request.ctx = c;
	if (!request.timeout_ms) request.timeout_ms = n->set.webhook_timeout_ms;
	if (claimed_arena(c)->failed || outbound_send(n->outbound, &request, &why))
		claimed_over(c, ENDED_BADLY, -1, STR("out of memory"));
}

void post_send_out(struct claimed *c, struct outbound_request request)
{
	request.may_connect = chosen_may_connect;
	if (request.url && !url_split(str_of(request.url), &c->url))
		claimed_over(c, ENDED_DEAD, -1, STR("not a URL"));
	else
		post_send(c, request);
}

void post_cut(struct claimed *c)
{
	outbound_cut(claimed_notify(c)->outbound, c);
	claimed_over(c, ENDED_EARLY, -1, STR("the server stopped meanwhile"));
}

void post_over(struct claimed *c, const struct outbound_reply *reply)
{
	struct arena *arena = claimed_arena(c);

	if (!reply->status)
		claimed_over(c, reply->refused ? ENDED_DEAD : ENDED_BADLY, -1,
			arena_str(arena, str_of(reply->error)));
	else if (reply->status >= 200 && reply->status < 300)
		claimed_over(c, ENDED_WELL, reply->status, STR_NONE);
	else
		claimed_over(c, ENDED_BADLY, reply->status,
			arena_print(arena, "HTTP %d", reply->status));
}
