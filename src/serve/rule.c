/* rule.c - a rule that was made or changed, with its warnings. They are read afterwards:
 * looking through a thousand operations must not hold up writers. */
#include "serve/inner.h"

/* What the change itself replied. */
struct rule_kept {
	int status;
	struct str text;
};

static void rule_was_read(struct request *r)
{
	struct job *job = &r->task.job;
	const struct rule_kept *kept = r->ctx;

	/* The rule was kept, whether or not its warnings could be read. */
	if (job->err) {
		job->err = OK;
		buf_set(&job->out, kept->text);
	}
	job->status = kept->status;
	request_reply(r, STR_NONE);
}

static void rule_was_kept(struct request *r)
{
	struct task *t = &r->task;
	struct rule_kept *kept = ARENA_NEW(&t->job.arena, struct rule_kept);
	struct str id = t->id;

	if (kept) {
		kept->status = t->job.status;
		kept->text = arena_str(&t->job.arena, buf_str(&t->job.out));
	}
	if (t->job.err || !r->x || t->job.arena.failed) {
		request_reply(r, STR_NONE);
		return;
	}
	request_renew(r);
	t->id = id;
	r->ctx = kept;
	request_put(r, &use_rule_warned, rule_was_read);
}

void route_rule(struct request *r)
{
	request_put(r, r->route->use, rule_was_kept);
}
