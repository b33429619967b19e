/* policy.c - the policy of a workspace: what holds when no rule fits. Shown to people, changed by
 * admins, each change on the version it was read in. */
#include "core/shared/show.h"
#include "desk/policy/policy_snapshot.h"
#include "desk/shared/collection.h"

/* Its members; `default` of one that was kept without is what it is read as. */
static enum err policy_show(struct json_writer *w, struct str body, int64_t version,
	struct arena *arena, struct fault *why)
{
	const struct json *json;
	struct policy p;
	enum err e;

	if (!body.len) body = str_of(policy_default);
	e = policy_parse(body, arena, &p, why);
	if (!e) e = json_read(body, NULL, arena, &json, why);
	if (e) return e;
	show_members(w, body);
	if (!json_get(json, "default")) jw_put_bool(w, "default", p.mode_unset);
	jw_put_int(w, "version", version);
	return OK;
}

static enum err policy_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	const struct policy_record *kept;
	enum err e = rows_get(rows, RECORD_POLICIES, KEY(job->who.ws), &kept, why);

	jw_object(&w);
	if (!e)
		e = policy_show(&w, kept ? kept->body : STR_NONE,
			kept ? kept->version : 0, rows->arena, why);
	jw_object_end(&w);
	return e;
}

const struct use use_policy_get =
	READS("policy_get", MAY_READ_ALL, 0, policy_get_read, NULL);

static void policy_needs(struct job *job, struct wants *w)
{
	wants_record(w, RECORD_POLICIES, KEY(job->who.ws));
}

static enum err policy_put_check(struct task *t, struct fault *why)
{
	int64_t version;

	return version_read(t->body, &version, why);
}

/* What would run without a person that did not. */
static void looser_write(struct task *t, struct json_writer *w, unsigned looser)
{
	static const struct {
		unsigned in;
		const char *detail;
	} kinds[] = {
		{ LOOSER_UNASKED,
			"hooks and gate asked for everything; they follow the mode now" },
		{ LOOSER_MODE, "the mode lets more operations run without a person" },
		{ LOOSER_RISKS, "some operations may count as less risky" },
		{ LOOSER_SCOPES, "approvals can be given for longer" },
	};

	jw_put_array(w, "warnings");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
		if (!(looser & kinds[i].in)) continue;
		jw_object(w);
		jw_put_text(w, "kind", "looser");
		jw_put_str(w, "detail",
			task_words(t, str_of(kinds[i].detail), &t->job.arena));
		jw_object_end(w);
	}
	jw_array_end(w);
}

static enum err policy_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct policy_record fresh = { .ws = job->who.ws };
	const struct policy_record *found = rows_find(rows, RECORD_POLICIES,
		record_name(&records[RECORD_POLICIES], &fresh, rows->arena));
	int64_t version = found ? found->version : 0;
	struct str was = found ? found->body : str_of(policy_default);
	struct policy before, after;
	struct policy_record *p;
	enum err e = policy_read(
		t->body, was, &version_also, rows->arena, &fresh.body, &after, why);

	if (!e) e = policy_parse(was, rows->arena, &before, why);
	if (!e)
		e = version_match("the policy has", json_get(t->body, "version")->integer,
			version, why);
	if (e) return e;
	p = found ? rows_change(rows, found) : rows_new(rows, RECORD_POLICIES, &fresh);
	p->body = fresh.body;
	p->changed_ms = rows->now_ms;
	jw_object(&w);
	e = policy_show(&w, p->body, p->version, rows->arena, why);
	looser_write(t, &w, policy_looser(&before, &after));
	jw_object_end(&w);
	return e;
}

const struct use use_policy_put = WRITES("policy_put", MAY_ADMIN, 0, policy_needs,
	policy_put_decide, NULL, policy_put_check);
