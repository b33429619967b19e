/* policy.c - the policy of a workspace: what holds when no rule fits. Shown to people, changed by
 * admins, each change on the version it was read in. */
#include "core/body.h"
#include "desk/book.h"

static void policy_show(struct json_writer *w, struct str body, int64_t version)
{
	jw_object(w);
	policy_write_members(w, body.len ? body : str_of(policy_default));
	jw_put_int(w, "version", version);
	jw_object_end(w);
}

struct policy_found {
	struct arena *arena;
	struct kept_policy policy;
};

static enum err policy_row(void *ctx, const struct row *row, struct fault *why)
{
	struct policy_found *f = ctx;

	return record_read(&records[RECORD_POLICIES], row, f->arena, &f->policy, why);
}

static enum err policy_get_read(
	struct job *job, struct db *db, int64_t now_ms, struct fault *why)
{
	struct json_writer w = { .out = &job->out };
	struct policy_found f = { .arena = &job->arena };
	const struct val key[] = { val_int(job->who.ws) };
	enum err e = db_one(
		db, SQL_OF(RECORD_POLICIES, RECORD_GET), key, 1, policy_row, &f, why);

	(void)now_ms;
	if (!e) policy_show(&w, f.policy.body, f.policy.version);
	return e;
}

const struct use use_policy_get = {
	.job = { .name = "policy_get",
		.permission = MAY_READ_ALL,
		.read = policy_get_read },
};

static void policy_needs(struct job *job, struct wants *w)
{
	const struct val key[] = { val_int(job->who.ws) };

	wants_record(w, RECORD_POLICIES, key);
}

static enum err policy_put_check(struct task *t, struct fault *why)
{
	const struct json *version = json_get(t->body, "version");

	if (!json_is(t->body, JSON_OBJECT)) return fail_at(why, "", "must be an object");
	return version && version->is_int && version->integer >= 0
		       ? OK
		       : fail_at(why, "/version", "required: the number that was read");
}

static enum err policy_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	static const struct str names[] = { STR("version") };
	static const struct members also = { names, 1 };
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct kept_policy fresh = { .ws = job->who.ws };
	const struct kept_policy *found = rows_find(rows, RECORD_POLICIES,
		record_name(&records[RECORD_POLICIES], &fresh, rows->arena));
	int64_t version = found ? found->version : 0;
	struct kept_policy *p;
	enum err e = policy_read(t->body, found ? found->body : str_of(policy_default),
		&also, rows->arena, &fresh.body, NULL, why);

	if (e) return e;
	if (json_get(t->body, "version")->integer != version)
		return fail(why, ERR_CONFLICT,
			"the policy has changed since: version %lld now",
			(long long)version);
	p = found ? rows_change(rows, found) : rows_new(rows, RECORD_POLICIES, &fresh);
	if (!p) return fail(why, ERR_MEMORY, "out of memory");
	p->body = fresh.body;
	p->changed_ms = rows->now_ms;
	policy_show(&w, p->body, p->version);
	return OK;
}

const struct use use_policy_put = {
	.job = { .name = "policy_put",
		.permission = MAY_ADMIN,
		.needs = policy_needs,
		.decide = policy_put_decide },
	.check = policy_put_check,
};
