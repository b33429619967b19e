/* decide.c - may this operation run, without a person? For those who would not ask by
 * themselves: hooks, `gate --policy`, runs of our own. Stops, then rules, then the policy's mode.
 * What was allowed or denied is kept as an event; where a person must decide, one asks. */
#include "base/keep.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"

struct decide_body {
	struct str session, project;
	const struct json *operation;
};

static enum err decide_check(struct task *t, struct fault *why)
{
	static const char *const names[] = { "operation", "session", "project", NULL };
	struct decide_body *b = TASK_CHECKED(t, struct decide_body);
	const struct json *session = json_get(t->body, "session");
	const struct json *project = json_get(t->body, "project");
	enum risk risk;
	enum err e;

	if (!t->body) return fail_at(why, "/operation", "required");
	e = members_only(t->body, names, why);
	b->operation = json_get(t->body, "operation");
	b->session = json_text(session);
	if (!json_is(b->operation, JSON_OBJECT))
		e = fail_at(
			why, "/operation", "required: {type?, name, arguments?, risk?}");
	else if (operation_read(b->operation, "/operation", &risk, why))
		e = why->err;
	if (session && session->type != JSON_NULL && !id_valid(b->session, "ses"))
		e = fail_at(why, "/session", "a session's id");
	b->project = json_text(project);
	if (project && project->type != JSON_NULL &&
		project_check(b->project, "/project", why))
		e = why->err;
	return e;
}

static void decide_needs(struct job *job, struct wants *w)
{
	const struct decide_body *b = task_of(job)->checked;

	if (b->session.len) wants_session(w, job->who.ws, b->session);
}

/* What is said, and by what. */
struct decided {
	enum effect effect;
	struct str rule;   /* rul_…, "policy", or empty */
	struct str stop;   /* stp_… */
	struct str reason; /* for the agent's log and its person */
	enum risk risk;
	bool by_default; /* by a mode that nobody has set */
};

static void decided_by_mode(const struct policy_snapshot *snapshot,
	const struct operation_view *look, struct decided *out)
{
	out->effect = policy_effect(&snapshot->policy, look->type, out->risk);
	out->rule = STR("policy");
	out->by_default = snapshot->policy.mode_unset;
	out->reason =
		out->effect == EFFECT_ALLOW
			? STR("No rule fits, and the policy allows it.")
			: STR("No rule fits, and the policy wants a person to decide.");
}

static void decided_by_rule(
	const struct rule_verdict *v, struct decided *out, struct arena *arena)
{
	const struct rule_record *r = v->ruling.rule;
	static const char *const words[] = { [EFFECT_ALLOW] = "A rule allows it",
		[EFFECT_ASK] = "A rule wants a person to decide",
		[EFFECT_DENY] = "A rule denies it" };

	out->effect = v->ruling.effect;
	out->rule = r ? r->id : STR_NONE;
	out->reason = r && r->note.len ? arena_print(arena, "%s: %.*s",
						 words[out->effect], STR_ARGS(r->note))
				       : arena_print(arena, "%s.", words[out->effect]);
}

static enum err decide_look(struct task *t, struct rows *rows,
	const struct operation_view *look, struct decided *out, struct fault *why)
{
	struct fault stopped = { 0 };
	struct rule_verdict v;
	struct policy_snapshot *snapshot;
	enum err e = desk_book(t->desk, &t->job, rows, t->job.who.ws, &snapshot, why);

	if (!e) e = desk_rule(snapshot, rows, look, RULE_ASK_UNCOUNTED, &v, why);
	if (e) return e;
	*out = (struct decided){ .risk = v.risk };
	if (v.ruling.effect == EFFECT_DENY) {
		decided_by_rule(&v, out, rows->arena);
	} else if (v.stop) {
		stop_fail(v.stop, &stopped);
		out->effect = EFFECT_DENY;
		out->stop = v.stop->id;
		out->reason = arena_str(rows->arena, str_of(stopped.detail));
	} else if (v.ruling.effect != EFFECT_NONE) {
		decided_by_rule(&v, out, rows->arena);
	} else {
		decided_by_mode(snapshot, look, out);
	}
	return OK;
}

static void decided_write(struct json_writer *w, const struct decided *d)
{
	show_text(w, "effect", str_of(effect_name(d->effect)));
	show_text(w, "rule", d->rule);
	show_text(w, "stop", d->stop);
	show_text(w, "reason", d->reason);
	show_text(w, "risk", str_of(risk_name(d->risk)));
}

static enum err decide_keep(struct task *t, struct rows *rows, const struct session *s,
	const struct operation_view *look, const struct decided *d, struct fault *why)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	struct str data;

	jw_object(&w);
	decided_write(&w, d);
	show_text(&w, "type", str_of(operation_type_name(look->type)));
	show_text(&w, "name", look->name);
	show_text(&w, "same", str_of(look->same));
	show_text(&w, "token", t->job.who.token);
	jw_object_end(&w);
	data = buf_keep_done(&b, rows->arena);
	if (s ? rows_event(rows, "policy.decided", s, NULL, data)
	      : rows_event_by(
			rows, t->job.who.ws, "policy.decided", t->job.who.agent, data))
		return OK;
	return fail(why, ERR_MEMORY, "out of memory");
}

static enum err decide_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	const struct decide_body *b = t->checked;
	struct json_writer w = { .out = &job->out };
	struct session *s = NULL;
	struct operation_view look;
	struct str project, agent;
	struct decided d;
	enum err e = OK;

	if (b->session.len) {
		s = rows_session(rows, job->who.ws, b->session);
		if (!s || !principal_sees(&job->who, s->agent))
			return fail(why, ERR_NOT_FOUND, "no session %.*s",
				STR_ARGS(b->session));
		e = desk_own(&job->who, s->agent, why);
	}
	if (!e) e = desk_project(t, rows, s, b->project, &project, why);
	if (e) return e;
	agent = s ? agent_known(s->agent, s->agent_name)
		  : agent_known(job->who.agent, desk_agent_name(t));
	operation_view(&look, b->operation, NULL, agent, project, s ? s->id : STR_NONE,
		rows->arena);
	e = decide_look(t, rows, &look, &d, why);
	if (!e && d.effect != EFFECT_ASK) e = decide_keep(t, rows, s, &look, &d, why);
	if (e) return e;
	jw_object(&w);
	decided_write(&w, &d);
	jw_put_bool(&w, "default", d.by_default);
	jw_object_end(&w);
	return OK;
}

const struct use use_decide =
	WRITES("decide", MAY_ASK, 0, decide_needs, decide_decide, NULL, decide_check);
