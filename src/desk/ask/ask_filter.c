/* ask_filter.c - which asks a list is of: what its address says, as parameters of the statements. */
#include "desk/ask/ask_filter.h"

static enum err filter_word(
	struct task *t, const char *name, bool known, struct str *out, struct fault *why)
{
	*out = task_param(t, name);
	return out->len && !known
		       ? fail_at(why, POINTER("/%s", name), "is not one of its values")
		       : OK;
}

/* "me", or a user's id; or a team's. */
static enum err filter_user(
	struct task *t, const char *name, bool teams, struct str *out, struct fault *why)
{
	*out = task_param(t, name);
	if (!out->len || id_valid(*out, "usr") || (teams && id_valid(*out, "team")))
		return OK;
	if (!str_is(*out, "me"))
		return fail_at(why, POINTER("/%s", name), "me, or a user's id");
	*out = t->job.who.user;
	return OK;
}

struct named_agent {
	struct arena *arena;
	int64_t ws;
	struct str id, name;
};

static enum err agent_row(void *ctx, const struct row *row, struct fault *why)
{
	struct named_agent *n = ctx;
	char id[32];

	(void)why;
	agent_id(n->ws, row_text(row, 0), id);
	if (str_is(n->id, id)) n->name = arena_str(n->arena, row_text(row, 0));
	return OK;
}

/* An agent is named by its name or its id. Agents see their own only. */
static enum err filter_agent(
	struct task *t, struct rows *rows, struct str *out, struct fault *why)
{
	struct named_agent n = { &t->job.arena, t->job.who.ws, task_param(t, "agent"),
		task_param(t, "agent") };
	enum err e = OK;

	if (str_starts(n.id, "agt_"))
		e = rows_query(rows, SQL_AGENTS, ARGS(n.ws), agent_row, &n, why);
	*out = role_may(t->job.who.role, MAY_READ_ALL) ? n.name : t->job.who.agent;
	return e;
}

static enum err filter_snoozed(
	struct task *t, bool person, struct val *out, struct fault *why)
{
	static const char *const words[] = { "no", "yes", "all" };
	struct str snoozed = task_param(t, "snoozed");
	int64_t i = 0;

	if (!task_has_param(t, "snoozed") || !person) {
		*out = val_int(person ? 0 : 2);
		return OK;
	}
	while (i < 3 && !str_is(snoozed, words[i]))
		i++;
	if (i == 3) return fail_at(why, "/snoozed", "yes, no or all");
	*out = val_int(i);
	return OK;
}

enum err ask_filter_read(struct task *t, struct rows *rows, bool person,
	struct val out[ASK_FILTER_LEN], struct fault *why)
{
	struct str kind, priority, like, assignee, agent;
	enum ask_kind k;
	enum priority p;
	enum err e;

	e = filter_word(t, "kind", ask_kind_read(task_param(t, "kind"), &k), &kind, why);
	if (filter_word(t, "priority", priority_read(task_param(t, "priority"), &p),
		    &priority, why))
		e = why->err;
	if (like_read(task_param(t, "q"), &t->job.arena, &like, why)) e = why->err;
	if (filter_user(t, "assignee", true, &assignee, why)) e = why->err;
	if (filter_agent(t, rows, &agent, why)) e = why->err;
	if (filter_snoozed(t, person, &out[10], why)) e = why->err;
	if (assignee.len)
		assignee = arena_print(&t->job.arena, "%%\"%.*s\"%%", STR_ARGS(assignee));
	out[0] = val_int(t->job.who.ws);
	out[2] = val_text(kind);
	out[3] = val_text(task_param(t, "project"));
	out[4] = val_text(assignee);
	out[5] = val_text(priority);
	out[6] = val_text(like);
	out[7] = val_text(agent);
	out[8] = val_text(person ? t->job.who.user : STR_NONE);
	out[9] = val_int(rows->now_ms);
	return e;
}

/* What an outcome is in the store: a status, and how an approval was decided. */
static const struct {
	const char *name, *status, *pattern;
	int64_t approvals; /* 1: only, 0: none, 2: both */
} outcomes[] = {
	{ "approved", "answered", "%\"value\":\"approve\"%", 1 },
	{ "rejected", "answered", "%\"value\":\"reject\"%", 1 },
	{ "answered", "answered", "", 0 },
	{ "skipped", "skipped", "", 2 },
	{ "expired", "expired", "", 2 },
	{ "cancelled", "cancelled", "", 2 },
};

static enum err filter_outcome(
	struct task *t, struct settled_filter *f, struct fault *why)
{
	struct str outcome = task_param(t, "outcome");

	f->approvals = 2;
	if (!outcome.len) return OK;
	for (size_t i = 0; i < sizeof(outcomes) / sizeof(outcomes[0]); i++)
		if (str_is(outcome, outcomes[i].name)) {
			/* Two filters that contradict each other: "pending" with an outcome
			 * finds nothing. */
			f->status =
				f->status.len && !str_is(f->status, outcomes[i].status)
					? STR("pending")
					: str_of(outcomes[i].status);
			f->pattern = str_of(outcomes[i].pattern);
			f->approvals = outcomes[i].approvals;
			return OK;
		}
	return fail_at(why, "/outcome",
		"approved, rejected, answered, skipped, expired or cancelled");
}

/* "rules", "me" or a user's id. */
static enum err filter_by(struct task *t, struct settled_filter *f, struct fault *why)
{
	f->by_rules = str_is(task_param(t, "by"), "rules");
	return f->by_rules ? OK : filter_user(t, "by", false, &f->by, why);
}

/* `by`, `outcome`, `from` and `to` imply settled asks. */
enum err ask_filter_settled(struct task *t, struct settled_filter *f, struct fault *why)
{
	static const char *const names[] = { "by", "outcome", "from", "to" };
	enum err e = filter_by(t, f, why);

	f->session = task_param(t, "session");
	f->settled = str_is(f->status, "settled");
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (task_has_param(t, names[i])) f->settled = true;
	if (!f->settled) return e;
	if (str_is(f->status, "all") || !task_has_param(t, "status") ||
		str_is(f->status, "settled"))
		f->status = STR_NONE;
	f->to_ms = INT64_MAX;
	if (filter_outcome(t, f, why)) e = why->err;
	if (task_time(t, "from", &f->from_ms, why)) e = why->err;
	if (task_time(t, "to", &f->to_ms, why)) e = why->err;
	return e;
}

void ask_filter_put(const struct settled_filter *f, struct val out[SETTLED_FILTER_LEN])
{
	const struct val all[] = { val_text(f->session), val_text(f->by),
		val_int(f->from_ms), val_int(f->to_ms), val_text(f->status),
		val_text(f->pattern), val_int(f->approvals), val_int(f->by_rules) };

	memcpy(out, all, sizeof all);
}
