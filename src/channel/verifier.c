/* verifier.c - the channel of verifiers: the ask goes to an address or a command of the operator, and
 * what it replies comes back with the report. */
#include "core/policy/verifier.h"
#include "channel/post.h"
#include "channel/program.h"
#include "net/outbound.h"

static enum err verifier_open(
	struct notify *n, enum delivery_kind kind, struct fault *why)
{
	return program_lines(n, kind, n->set.verifiers, n->set.verifiers_len, why);
}

/* A verdict that cannot be read is as good as none: it is asked again. */
static void verifier_heard(struct claimed *c, struct str reply, int64_t status)
{
	struct arena *arena = claimed_arena(c);
	struct verification v;
	struct fault why = { 0 };
	enum err e = verdict_read(reply, arena, &v, &why);

	c->outcome.output = arena_str(arena, reply);
	claimed_over(c, e ? ENDED_BADLY : ENDED_WELL, status,
		e ? arena_str(arena, str_of(why.detail)) : STR_NONE);
}

/* ---- an address ---- */

static void verifier_replied(void *ctx, const struct outbound_reply *reply)
{
	if (reply->status >= 200 && reply->status < 300)
		verifier_heard(ctx, reply->body, reply->status);
	else
		post_over(ctx, reply);
}

static void verifier_send(struct claimed *c, struct str url)
{
	post_send(c, (struct outbound_request){ .url = arena_copy(claimed_arena(c), url),
			     .headers = webhook_headers(c),
			     .body = c->fill.body,
			     .timeout_ms = VERIFIER_TRY_MS,
			     .may_connect = connect_to_any, /* the operator's setting */
			     .done = verifier_replied,
			     .wants_body = true });
}

/* ---- a command ---- */

static enum err verifier_run(
	struct claimed *c, const struct resumer *r, struct fault *why)
{
	const struct notify *n = claimed_notify(c);
	const struct resumer_values values = { .session = c->delivery->session,
		.ask = c->delivery->ask,
		.url = n->set.url };

	return program_run(
		c, r, &values, program_env(c), c->fill.body, VERIFIER_TRY_MS, why);
}

static void verifier_start(struct claimed *c)
{
	const struct notify *n = claimed_notify(c);
	const struct resumer *programs = claimed_state(c);
	struct fault why = { 0 };
	size_t i = 0;

	while (i < n->set.verifiers_len &&
		!str_eq(n->set.verifiers[i].name, c->delivery->target))
		i++;
	if (i == n->set.verifiers_len)
		claimed_over(
			c, ENDED_DEAD, -1, STR("no verifier of this name is configured"));
	else if (verifier_is_url(n->set.verifiers[i].command))
		verifier_send(c, n->set.verifiers[i].command);
	else if (verifier_run(c, &programs[i], &why))
		claimed_over(c, ENDED_BADLY, -1,
			arena_str(claimed_arena(c), str_of(why.detail)));
}

static size_t verifier_watch(struct claimed *c, struct pollfd fds[CHANNEL_FDS])
{
	struct process_end end;
	struct str error;
	size_t len;

	if (!c->process.pid) return 0; /* outbound's */
	len = program_watch(c, fds, "it took longer than 20 s", &end, &error);
	if (len) return len;
	if (error.len)
		claimed_over(c, ENDED_BADLY, end.exit, error);
	else
		verifier_heard(c, c->outcome.output, end.exit);
	return 0;
}

static void verifier_cut(struct claimed *c)
{
	if (!c->process.pid) {
		post_cut(c);
		return;
	}
	process_done(&c->process);
	claimed_over(c, ENDED_EARLY, -1, STR("the server stopped meanwhile"));
}

const struct channel channel_verifier = {
	.open = verifier_open,
	.slots = 16,
	.start = verifier_start,
	.watch = verifier_watch,
	.cut = verifier_cut,
};
