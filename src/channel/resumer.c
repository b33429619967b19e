/* resumer.c - the channel of resumers: commands of the operator that start a stopped agent again,
 * run with what its session brings, never through a shell, without a way to what only people
 * and the server may reach. */
#include "channel/program.h"

/* ---- settings ---- */

static enum err resumer_open(struct notify *n, enum delivery_kind kind, struct fault *why)
{
	return program_lines(n, kind, n->set.resumers, n->set.resumers_len, why);
}

/* ---- running ---- */

static enum err resumer_run(struct claimed *c, const struct resumer *r, struct fault *why)
{
	const struct settings *set = &claimed_notify(c)->set;
	const struct resumer_values values = { .external_id = c->fill.external_id,
		.session = c->delivery->session,
		.context = c->fill.context,
		.ask = c->delivery->ask,
		.url = set->url };

	if (!r) return fail(why, ERR_NOT_FOUND, "no resumer of this name is configured");
	return program_run(c, r, &values, program_env(c),
		resumer_wants_text(r) ? STR_NONE : c->fill.context,
		set->resumer_timeout_ms, why);
}

static void resumer_start(struct claimed *c)
{
	const struct settings *set = &claimed_notify(c)->set;
	struct fault why = { 0 };

	if (resumer_run(c,
		    program_named(claimed_state(c), set->resumers, set->resumers_len,
			    c->delivery->target),
		    &why))
		claimed_over(c, ENDED_DEAD, -1,
			arena_str(claimed_arena(c), str_of(why.detail)));
}

static size_t resumer_watch(struct claimed *c, struct pollfd fds[CHANNEL_FDS])
{
	struct process_end end;
	struct str error;
	size_t len = program_watch(
		c, fds, "its time limit was reached (resumer_timeout)", &end, &error);

	if (!len) claimed_over(c, error.len ? ENDED_DEAD : ENDED_WELL, end.exit, error);
	return len;
}

static void resumer_cut(struct claimed *c)
{
	process_look(&c->process);
	c->outcome.output = process_tail(&c->process, claimed_arena(c));
	process_done(&c->process);
	claimed_over(c, ENDED_DEAD, -1,
		STR("interrupted: the server stopped, and the program with it"));
}

const struct channel channel_resumer = {
	.open = resumer_open,
	.slots = 16,
	.once = true,
	.start = resumer_start,
	.watch = resumer_watch,
	.cut = resumer_cut,
};
