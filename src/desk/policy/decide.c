/* decide.c - may this operation run, without a person? For those who would not ask by
 * themselves: hooks, `gate --policy`, runs of our own. Stops, then rules, then the policy's mode.
 * What was allowed or denied is kept as an event; where a person must decide, one asks. */
#include "desk/policy/decide.h"

#include "base/keep.h"
#include "core/policy/policy.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

struct decide_body {
	struct str session, project;
	const struct json *operation;
};

static enum err decide_check(struct task *t, struct fault *why)
{
	struct decide_body *b = TASK_CHECKED(t, struct decide_body);
	const struct json *session = json_get(t->body, "session");
	const struct json *project = json_get(t->body, "project");
	enum risk risk;
	enum err e;

	if (!t->body) return fail_at(why, "/operation", "required");
	e = MEMBERS_ONLY(t->body, why, "operation", "session", "project");
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

enum err decide_operation(struct task *t, struct rows *rows,
	const struct operation_view *look, struct decided *out, struct fault *why)
{
	struct fault stopped = { 0 };
	struct rule_verdict v;
	struct policy_snapshot *snapshot;
	enum err e = snapshot_of(t, rows, t->job.who.ws, &snapshot, why);

	if (!e) e = snapshot_decide(snapshot, rows, look, RULE_ASK_UNCOUNTED, &v, why);
	if (!e) e = mandate_decide(snapshot, rows, look, true, &v, why);
	if (e) return e;
	decided_make(out, &snapshot->policy, look->type, &v.ruling, v.risk, rows->arena);
	out->mandate = v.mandate;
	if (!v.stop || out->effect == EFFECT_DENY) return OK;
	stop_fail(v.stop, &stopped);
	*out = (struct decided){ .effect = EFFECT_DENY,
		.risk = v.risk,
		.stop = v.stop->id,
		.reason = arena_str(rows->arena, str_of(stopped.detail)) };
	return OK;
}

static void decided_write(
	struct json_writer *w, const struct decided *d, struct arena *arena)
{
	show_text(w, "effect", str_of(effect_name(d->effect)));
	show_text(w, "rule", d->rule);
	show_text(w, "stop", d->stop);
	show_text(w, "reason", decided_sentence(d, arena));
	show_text(w, "risk", str_of(risk_name(d->risk)));
	if (d->mandate.len) show_json(w, "mandate", d->mandate);
}

enum err decide_keep(struct task *t, struct rows *rows, const struct session *s,
	const struct operation_view *look, const struct decided *d, struct fault *why)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	struct str data;

	jw_object(&w);
	decided_write(&w, d, rows->arena);
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
	return fail_memory(why);
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
	if (!e) e = desk_rate(t, rows->now_ms, why);
	if (!e) e = projects_resolve(t, rows, s, b->project, &project, why);
	if (e) return e;
	agent = s ? agent_known(s->agent, s->agent_name)
		  : agent_known(job->who.agent, session_agent_name(t));
	operation_view(&look, b->operation, NULL, agent, project, s ? s->id : STR_NONE,
		rows->arena);
	look.requester = job->who.user;
	e = decide_operation(t, rows, &look, &d, why);
	if (!e && d.effect != EFFECT_ASK) e = decide_keep(t, rows, s, &look, &d, why);
	if (e) return e;
	jw_object(&w);
	decided_write(&w, &d, rows->arena);
	jw_put_bool(&w, "default", d.by_default);
	if (d.effect == EFFECT_ASK)
		jw_put_raw(&w, "expect",
			forecast_shown(
				t, job->who.ws, ASK_APPROVAL, project, rows->now_ms));
	jw_object_end(&w);
	return OK;
}

const struct use use_decide =
	WRITES("decide", MAY_ASK, 0, decide_needs, decide_decide, NULL, decide_check);
