/* run.c - the states of a run, its errors by name, its JSON. */
#include "core/run/run.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/run/output.h"
#include "core/shared/body.h"
#include "core/shared/principal.h"
#include "core/shared/show.h"

static const char *const statuses[RUN_STATUSES] = {
	[RUN_QUEUED] = "queued",
	[RUN_RUNNING] = "running",
	[RUN_WAITING] = "waiting",
	[RUN_COMPLETED] = "completed",
	[RUN_FAILED] = "failed",
	[RUN_CANCELLED] = "cancelled",
};

/* What is not here cannot happen. A run that waits can fail: what it waited for was refused. */
#define NO RUN_STATUSES
static const enum run_status nexts[RUN_STATUSES][RUN_ACTIONS] = {
	/*                 claim        yield       wait         resume      finish
	 * fail        cancel */
	[RUN_QUEUED] = { RUN_RUNNING, NO, NO, RUN_QUEUED, NO, RUN_FAILED, RUN_CANCELLED },
	[RUN_RUNNING] = { RUN_RUNNING, RUN_QUEUED, RUN_WAITING, RUN_RUNNING,
		RUN_COMPLETED, RUN_FAILED, RUN_CANCELLED },
	[RUN_WAITING] = { NO, NO, RUN_WAITING, RUN_QUEUED, NO, RUN_FAILED,
		RUN_CANCELLED },
	[RUN_COMPLETED... RUN_CANCELLED] = { NO, NO, NO, NO, NO, NO, NO },
};
#undef NO

ENUM_NAMES(run_status, statuses)

bool run_ended(const struct run *r)
{
	return r->status >= RUN_COMPLETED;
}

bool run_is_child(const struct run *r)
{
	return r->parent.len > 0;
}

enum run_status run_next(enum run_status status, enum run_action action)
{
	return nexts[status][action];
}

enum err run_act(struct run *r, enum run_action action, struct fault *why)
{
	enum run_status next = run_next(r->status, action);

	if (next == RUN_STATUSES)
		return fail(why, ERR_CONFLICT, "run %.*s is %s", STR_ARGS(r->id),
			run_status_name(r->status));
	r->status = next;
	return OK;
}

struct str run_thread(const struct run *r)
{
	return run_is_child(r) ? r->id : STR_NONE;
}

struct str run_error_write(enum trouble kind, struct str message, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };

	jw_object(&w);
	jw_put_text(&w, "kind", trouble_name(kind));
	jw_put_str(&w, "message", message);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

static void agent_write(struct json_writer *w, const struct run *r)
{
	char id[32];

	agent_id(r->ws, r->agent, id);
	jw_put_object(w, "agent");
	jw_put_text(w, "id", r->agent.len ? id : NULL);
	jw_put_str(w, "name", r->agent);
	jw_object_end(w);
}

/* What left no message, and what its tree used. */
static void spent_write(struct json_writer *w, const struct run *r)
{
	struct arena arena = { 0 };
	struct spending wasted = { 0 }, tree = { 0 };

	spending_parse(r->wasted, &arena, &wasted, NULL);
	spending_parse(r->below, &arena, &tree, NULL);
	spending_join(&tree, &(struct spending){ .usage = r->usage,
				     .cost = r->cost,
				     .priced = r->priced,
				     .partial = r->partial });
	jw_put_object(w, "wasted");
	jw_put_int(w, "calls", wasted.calls);
	jw_key(w, "usage");
	usage_write(w, &wasted.usage);
	jw_key(w, "cost_usd");
	cost_write(w, wasted.partial && !wasted.priced ? COST_UNKNOWN : wasted.cost);
	jw_object_end(w);
	jw_put_object(w, "tree");
	jw_key(w, "usage");
	usage_write(w, &tree.usage);
	jw_key(w, "cost_usd");
	cost_write(w, spending_cost(&tree));
	jw_put_bool(w, "cost_partial", tree.partial);
	jw_object_end(w);
	arena_done(&arena);
}

void run_write(struct json_writer *w, const struct run *r, int64_t now_ms)
{
	int64_t cost = r->priced ? r->cost : COST_UNKNOWN;

	(void)now_ms;
	jw_object(w);
	show_text(w, "id", r->id);
	show_text(w, "session", r->session);
	show_text(w, "parent", r->parent);
	show_text(w, "call", r->call);
	agent_write(w, r);
	show_text(w, "kind", STR("model"));
	show_text(w, "status", str_of(run_status_name(r->status)));
	show_json(w, "waits_for", r->waits_for.len ? r->waits_for : STR("[]"));
	jw_put_int(w, "turn", r->turn);
	jw_put_int(w, "attempt", r->attempt);
	show_json(w, "progress", r->progress);
	show_text(w, "provider", r->provider);
	show_text(w, "model", r->model);
	show_text(w, "report", r->report);
	output_write(w, r);
	show_json(w, "error", r->error);
	jw_key(w, "usage");
	usage_write(w, &r->usage);
	jw_key(w, "cost_usd");
	cost_write(w, cost);
	jw_put_bool(w, "cost_partial", r->partial);
	spent_write(w, r);
	jw_put_int(w, "context_tokens", r->context_tokens);
	show_number(w, "context_max", r->context_max, r->context_max > 0);
	show_json(w, "limits", r->limits.len ? r->limits : STR("{}"));
	jw_put_array(w, "tools_used");
	for (struct str rest = r->tools, name; str_cut(&rest, ' ', &name);)
		jw_str(w, name);
	jw_array_end(w);
	jw_put_int(w, "mcp_calls", r->mcp_calls);
	show_time(w, "queued_at", r->queued_ms);
	show_time(w, "started_at", r->started_ms);
	show_time(w, "ended_at", r->ended_ms);
	jw_put_int(w, "duration_ms", r->worked_ms);
	show_json(w, "trace", r->trace);
	jw_object_end(w);
}

/* ---- why it did not succeed ---- */

static const char *const troubles[TROUBLES] = {
	[TROUBLE_NONE] = "",
	[TROUBLE_RATE_LIMITED] = "rate_limited",
	[TROUBLE_OVERLOADED] = "overloaded",
	[TROUBLE_UNREACHABLE] = "unreachable",
	[TROUBLE_UNAUTHORIZED] = "unauthorized",
	[TROUBLE_NO_CREDIT] = "no_credit",
	[TROUBLE_REFUSED] = "refused",
	[TROUBLE_TOO_LONG] = "too_long",
	[TROUBLE_DECLINED] = "declined",
	[TROUBLE_CUT] = "cut",
	[TROUBLE_EMPTY] = "empty",
	[TROUBLE_OUTPUT] = "output",
	[TROUBLE_LIMIT] = "limit",
	[TROUBLE_LOOP] = "loop",
	[TROUBLE_REJECTED] = "rejected",
	[TROUBLE_PROGRAM] = "program",
	[TROUBLE_INTERNAL] = "internal",
};

const char *trouble_name(enum trouble trouble)
{
	return troubles[trouble];
}

bool trouble_find(struct str name, enum trouble *out)
{
	int at = name_find(troubles, TROUBLES, name);

	if (at <= TROUBLE_NONE) return false;
	*out = (enum trouble)at;
	return true;
}
