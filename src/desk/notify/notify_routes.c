/* notify_routes.c - the table of routes: shown to people, replaced by admins as a whole; whom it
 * would tell of an ask; whom an ask was told to. */
#include "base/keep.h"
#include "desk/notify/notify_ask.h"
#include "desk/people/projects.h"

#include "base/clock.h"
#include "core/ask/draft.h"
#include "core/shared/show.h"

/* ---- names ---- */

static struct str team_named(const struct recipients *t, struct str id)
{
	const struct team *team = roster_team(&t->roster, id);

	return team ? team->name : STR_NONE;
}

static struct str user_named(const struct recipients *t, struct str id)
{
	const struct user *u = roster_user(&t->roster, id);

	return u ? u->name : STR_NONE;
}

/* Whose it is: a person, or a team. */
static struct str contact_owner(const struct recipients *t, struct str id)
{
	for (size_t i = 0; i < t->contacts_len; i++) {
		const struct contact *c = t->contacts[i];

		if (!str_eq(c->id, id)) continue;
		return c->user.len ? user_named(t, c->user) : team_named(t, c->team);
	}
	return STR_NONE;
}

/* ---- get ---- */

static bool step_names(const struct notify_step *s, struct str contact)
{
	for (size_t i = 0; i < s->to_len; i++)
		if (s->to[i].kind == TO_CONTACT && str_eq(s->to[i].name, contact))
			return true;
	return false;
}

static bool table_names(const struct route_table *t, struct str contact)
{
	for (size_t r = 0; r < t->len; r++)
		for (size_t s = 0; s < t->rows[r].steps_len; s++)
			if (step_names(&t->rows[r].steps[s], contact)) return true;
	return false;
}

/* Of the contacts that steps name: whose each is. */
static void names_show(struct json_writer *w, const struct route_table *table,
	const struct recipients *t)
{
	jw_put_object(w, "names");
	for (size_t i = 0; i < t->contacts_len; i++)
		if (table_names(table, t->contacts[i]->id)) {
			jw_key_str(w, t->contacts[i]->id);
			jw_str(w, contact_owner(t, t->contacts[i]->id));
		}
	jw_object_end(w);
}

static void table_show(struct json_writer *w, const struct route_table *table,
	int64_t version, const struct recipients *t)
{
	jw_object(w);
	jw_put_int(w, "version", version);
	jw_key(w, "items");
	routes_write(w, table);
	names_show(w, table, t);
	jw_object_end(w);
}

static enum err routes_get_read(struct job *job, struct rows *rows, struct fault *why)
{
	const struct routes_record *kept;
	struct recipients t = { 0 };
	enum err e = recipients_load(rows, job->who.ws, &t, why);

	if (e) return e;
	kept = rows_find_key(rows, RECORD_ROUTES, KEY(job->who.ws));
	table_show(TO_REPLY(job), &t.table, kept ? kept->version : 0, &t);
	return OK;
}

const struct use use_notify_routes =
	READS("notify_routes", MAY_READ_ALL, 0, routes_get_read, NULL);

/* ---- put ---- */

struct routes_body {
	struct route_table table;
	int64_t version;
};

static enum err routes_put_check(struct task *t, struct fault *why)
{
	/* What was read can be sent back as it is. */
	static const char *const names[] = { "version", "items", "names", NULL };
	struct routes_body *b = TASK_CHECKED(t, struct routes_body);
	const struct json *version = json_get(t->body, "version");
	enum err e = desk_members_only(t->body, names, why);

	if (!version || !version->is_int || version->integer < 0)
		e = fail_at(why, "/version", "is missing: give the one that was read");
	else
		b->version = version->integer;
	if (routes_read(
		    json_get(t->body, "items"), "/items", &t->job.arena, &b->table, why))
		e = why->err;
	return e;
}

/* Is what a step names there? NULL: it is. */
static const char *to_missing(const struct recipients *t, const struct notify_to *to)
{
	switch (to->kind) {
	case TO_USER: return roster_user(&t->roster, to->name) ? NULL : "no such user";
	case TO_TEAM:
	case TO_ON_CALL:
	case TO_LEADS:
		return roster_team_named(&t->roster, to->name) ? NULL : "no such team";
	case TO_CONTACT:
		for (size_t i = 0; i < t->contacts_len; i++)
			if (str_eq(t->contacts[i]->id, to->name)) return NULL;
		return "no such contact";
	default: return NULL;
	}
}

static enum err names_check(
	const struct recipients *t, const struct route_table *table, struct fault *why)
{
	enum err e = OK;

	for (size_t r = 0; r < table->len; r++)
		for (size_t s = 0; s < table->rows[r].steps_len; s++)
			for (size_t i = 0; i < table->rows[r].steps[s].to_len; i++) {
				const char *missing =
					to_missing(t, &table->rows[r].steps[s].to[i]);

				if (missing)
					e = fail_at(why,
						POINTER("/items/%zu/steps/%zu/to/%zu", r,
							s, i),
						"%s", missing);
			}
	return e;
}

static enum err routes_put_decide(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct routes_body *b = t->checked;
	struct routes_record fresh = { .ws = job->who.ws };
	struct recipients recipients = { 0 };
	const struct routes_record *found;
	struct routes_record *kept;
	struct buf body = { 0 };
	struct json_writer bw = { .out = &body };
	bool by_project = false;
	enum err e = recipients_load(rows, job->who.ws, &recipients, why);

	if (!e) e = names_check(&recipients, &b->table, why);
	if (e) return e;
	found = rows_find_key(rows, RECORD_ROUTES, KEY(job->who.ws));
	if (b->version != (found ? found->version : 0))
		return fail(why, ERR_CONFLICT,
			"the routes have changed since: version %lld now",
			(long long)(found ? found->version : 0));
	for (size_t i = 0; i < b->table.len; i++) {
		if (!b->table.rows[i].id.len)
			b->table.rows[i].id = rows_new_id(rows, "rou");
		by_project |= b->table.rows[i].project.len > 0;
	}
	routes_write(&bw, &b->table);
	fresh.body = buf_keep_done(&body, rows->arena);
	fresh.changed_ms = rows->now_ms;
	kept = found ? rows_change(rows, found) : rows_new(rows, RECORD_ROUTES, &fresh);
	kept->body = fresh.body;
	kept->changed_ms = fresh.changed_ms;
	/* The number that it is written under. */
	table_show(TO_REPLY(job), &b->table, found ? b->version + 1 : 1, &recipients);
	return projects_unbound_warn(t, rows, by_project, why);
}

const struct use use_notify_routes_put = WRITES("notify_routes_put", MAY_ADMIN, 0, NULL,
	routes_put_decide, NULL, routes_put_check);

/* ---- try ---- */

struct route_trial {
	struct ask ask;
	struct route_table table; /* of the body; len 0: the workspace's */
	int64_t at_ms;		  /* 0: now */
	int64_t timeout_ms;
};

enum { A_KIND, A_PRIORITY, A_RISK, A_PROJECT, A_AGENT, A_ASSIGNEES, A_TIMEOUT, A_LEN };
static const struct str ask_names[A_LEN] = { [A_KIND] = STR("kind"),
	[A_PRIORITY] = STR("priority"),
	[A_RISK] = STR("risk"),
	[A_PROJECT] = STR("project"),
	[A_AGENT] = STR("agent"),
	[A_ASSIGNEES] = STR("assignees"),
	[A_TIMEOUT] = STR("timeout") };
static const struct members ask_trial_members = { ask_names, A_LEN };

static void trial_ask_read(
	struct task *t, struct check *c, const struct json *json, struct route_trial *out)
{
	struct json_place at = place_root("/ask");
	struct draft_limits limits = desk_limits(t->desk);
	struct ask *a = &out->ask;
	const struct json *m[A_LEN];
	struct str *ids = NULL;
	size_t len = 0;

	a->kind = ASK_BLOCKING;
	a->priority = PRIORITY_NORMAL;
	a->assignees = STR("[]");
	if (!members_read(c, &at, json, &ask_trial_members, NULL, m)) return;
	if (m[A_KIND] && !ask_kind_read(json_text(m[A_KIND]), &a->kind))
		wrong_member(c, &at, ask_names[A_KIND],
			"must be blocking, non_blocking, approval or error_recovery");
	if (m[A_PRIORITY] && !priority_read(json_text(m[A_PRIORITY]), &a->priority))
		wrong_member(c, &at, ask_names[A_PRIORITY],
			"must be low, normal, high or urgent");
	if (m[A_RISK] && !risk_read(json_text(m[A_RISK]), &a->risk))
		wrong_member(c, &at, ask_names[A_RISK],
			"must be low, medium, high or critical");
	a->project =
		text_read(c, &at, ask_names[A_PROJECT], m[A_PROJECT], 100, TEXT_LINE);
	a->agent = text_read(c, &at, ask_names[A_AGENT], m[A_AGENT], 100, TEXT_LINE);
	if (m[A_ASSIGNEES]) {
		struct json_place item = place_member(&at, ask_names[A_ASSIGNEES]);

		assignees_check(c, &item, m[A_ASSIGNEES], &t->job.arena, &ids, &len);
		a->assignees = away_assignees_json(ids, len, &t->job.arena);
	}
	if (m[A_TIMEOUT]) {
		struct json_place item = place_member(&at, ask_names[A_TIMEOUT]);

		out->timeout_ms = timeout_check(c, &item, m[A_TIMEOUT], &limits);
	}
}

static enum err routes_try_check(struct task *t, struct fault *why)
{
	struct route_trial *b = TASK_CHECKED(t, struct route_trial);
	const struct json *at = json_get(t->body, "at");
	const struct json *items = json_get(t->body, "items");
	const struct json *ask = json_get(t->body, "ask");
	struct check c = { .why = why };
	enum err e = MEMBERS_ONLY(t->body, why, "ask", "at", "items");

	if (!json_is(ask, JSON_OBJECT))
		e = fail_at(why, "/ask", "must be an object");
	else
		trial_ask_read(t, &c, ask, b);
	if (check_end(&c, &t->job.arena)) e = why->err;
	if (at && at->type != JSON_NULL &&
		(at->type != JSON_STRING || !time_read(at->text, &b->at_ms)))
		e = fail_at(why, "/at", "must be a time (RFC 3339)");
	if (items && items->type != JSON_NULL &&
		routes_read(items, "/items", &t->job.arena, &b->table, why))
		e = why->err;
	return e;
}

static void entry_write(
	struct json_writer *w, const struct plan_entry *e, const struct recipients *t)
{
	jw_object(w);
	show_time(w, "at", e->at_ms);
	jw_put_int(w, "step", e->step);
	show_text(w, "user", e->user);
	jw_put_some(w, "team", team_named(t, e->team));
	show_text(w, "contact", e->contact ? e->contact->id : STR_NONE);
	jw_put_text(w, "channel",
		e->contact ? delivery_kind_name(e->contact->channel) : NULL);
	jw_put_text(w, "why", plan_why_name(e->why));
	jw_object_end(w);
}

/* What this step would tell counts as told for the next. */
static void plan_told(struct plan_facts *f, const struct notify_plan *p, size_t from,
	const struct delivery **told, size_t cap)
{
	for (size_t i = from; i < p->len && f->told_len < cap; i++) {
		struct delivery *d;

		if (!p->at[i].contact || !p->at[i].at_ms) continue;
		d = ARENA_NEW(f->arena, struct delivery);
		if (!d) return;
		*d = (struct delivery){ .kind = p->at[i].contact->channel,
			.contact = p->at[i].contact->id,
			.user = p->at[i].user,
			.purpose = DELIVERY_ASK,
			.status = p->at[i].why ? DELIVERY_WAITING : DELIVERY_DONE,
			.next_ms = p->at[i].at_ms };
		told[f->told_len++] = d;
	}
}

enum { TRIAL_TOLD_MAX = 2000 };

static enum err trial_plan(struct task *t, struct recipients *recipients,
	const struct notify_route *r, int64_t now_ms, struct notify_plan *out,
	struct fault *why)
{
	struct route_trial *b = t->checked;
	struct arena *arena = &t->job.arena;
	const struct delivery **told =
		ARENA_ARRAY(arena, const struct delivery *, TRIAL_TOLD_MAX);
	struct route_point p, *from = NULL, last = { -1, 0, 0 };
	int64_t at_once_ms = 0; /* after a step that reaches nobody */
	struct plan_facts f = { .ask = &b->ask,
		.roster = &recipients->roster,
		.contacts = recipients->contacts,
		.contacts_len = recipients->contacts_len,
		.people = recipients->people,
		.people_len = recipients->people_len,
		.told = told,
		.arena = arena };

	if (!told) return fail_memory(why);
	while (route_next(r, now_ms, b->ask.deadline_ms, from, &p)) {
		size_t before = out->len;

		if (at_once_ms && p.step != last.step) p.due_ms = at_once_ms;
		f.now_ms = p.due_ms;
		recipients->roster.now_ms = p.due_ms;
		if (!plan_step(&f, &r->steps[p.step], p.step, out))
			return fail_memory(why);
		plan_told(&f, out, before, told, TRIAL_TOLD_MAX);
		at_once_ms = plan_reaches(out, before) ? 0 : p.due_ms;
		last = p;
		from = &last;
	}
	return OK;
}

static enum err routes_try_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct route_trial *b = t->checked;
	struct json_writer w = { .out = &job->out };
	struct recipients recipients = { 0 };
	const struct route_table *table;
	const struct notify_route *r;
	struct notify_plan plan = { 0 };
	enum err e = recipients_load(rows, job->who.ws, &recipients, why);

	if (e) return e;
	b->ask.ws = job->who.ws;
	b->ask.created_ms = b->at_ms ? b->at_ms : rows->now_ms;
	b->ask.deadline_ms = b->timeout_ms ? b->ask.created_ms + b->timeout_ms : 0;
	table = b->table.len ? &b->table : &recipients.table;
	r = routes_find(table, &b->ask);
	if (r) e = trial_plan(t, &recipients, r, b->ask.created_ms, &plan, why);
	if (e) return e;
	jw_object(&w);
	jw_key(&w, "route");
	if (!r)
		jw_null(&w);
	else if (b->table.len)
		jw_int(&w, r - table->rows);
	else
		jw_str(&w, r->id);
	jw_put_array(&w, "plan");
	for (size_t i = 0; i < plan.len; i++)
		entry_write(&w, &plan.at[i], &recipients);
	jw_array_end(&w);
	jw_object_end(&w);
	return OK;
}

const struct use use_notify_routes_try =
	READS("notify_routes_try", MAY_READ_ALL, 0, routes_try_read, routes_try_check);

/* ---- who was told of an ask ---- */

struct told_list {
	struct task *t;
	struct json_writer *w;
	const struct delivery **at;
	size_t len;
	const struct delivery *lost[ROUTE_STEPS_MAX + ROUTE_TIMES_MAX];
	size_t lost_len; /* rows of steps that reached nobody */
	struct str *named;
	size_t named_len;	    /* ids whose names were written */
	int64_t next_ms, next_step; /* of the next step that is due; 0: none */
};

static void told_add(struct told_list *l, const struct delivery *d)
{
	if (d->kind == DELIVERY_ROUTE && d->status == DELIVERY_WAITING &&
		d->purpose == DELIVERY_ASK && (!l->next_ms || d->next_ms < l->next_ms)) {
		l->next_ms = d->next_ms;
		l->next_step = d->step;
	}
	if (d->kind == DELIVERY_ROUTE && d->detail.len &&
		l->lost_len < sizeof l->lost / sizeof *l->lost)
		l->lost[l->lost_len++] = d;
	if (!d->contact.len) return;
	delivery_write(l->w, d);
	l->at[l->len++] = d;
}

/* All that were made for the ask; shown are those to contacts. */
static enum err told_read(
	struct rows *rows, const struct ask *a, struct told_list *l, struct fault *why)
{
	size_t len;
	enum err e = notify_fetch(rows, a, why);

	if (e) return e;
	l->at = (const struct delivery **)rows_all(rows, RECORD_DELIVERIES, a->ws, &len);
	for (size_t i = 0; i < len; i++)
		told_add(l, l->at[i]); /* those that are shown close up */
	return OK;
}

static void name_write(
	struct json_writer *w, struct told_list *l, struct str id, struct str name)
{
	if (!name.len) return;
	for (size_t i = 0; i < l->named_len; i++)
		if (str_eq(l->named[i], id)) return;
	l->named[l->named_len++] = id;
	jw_key_str(w, id);
	jw_str(w, name);
}

/* The steps that reached nobody; their reasons as they were found. */
static void unreached_write(struct json_writer *w, const struct told_list *l)
{
	jw_array(w);
	for (size_t i = 0; i < l->lost_len; i++) {
		jw_object(w);
		jw_put_int(w, "step", l->lost[i]->step);
		show_time(w, "at", l->lost[i]->done_ms);
		jw_key(w, "reasons");
		jw_raw(w, l->lost[i]->detail);
		jw_object_end(w);
	}
	jw_array_end(w);
}

/* Names of the people that were told or could not be, and of the teams behind other
 * contacts. */
static enum err names_write(struct json_writer *w, struct told_list *l,
	const struct recipients *t, struct fault *why)
{
	struct arena *arena = &l->t->job.arena;
	size_t most = l->len + l->lost_len * (t->roster.users_len + t->roster.teams_len);
	const struct json *reasons;

	l->named = ARENA_ARRAY(arena, struct str, most + 1);
	if (!l->named) return fail_memory(why);
	jw_object(w);
	for (size_t i = 0; i < l->len; i++) {
		const struct delivery *d = l->at[i];

		if (d->user.len)
			name_write(w, l, d->user, user_named(t, d->user));
		else
			name_write(w, l, d->contact, contact_owner(t, d->contact));
	}
	for (size_t i = 0; i < l->lost_len; i++) {
		if (json_read(l->lost[i]->detail, NULL, arena, &reasons, NULL)) continue;
		for (uint32_t k = 0; k < reasons->count; k++) {
			struct str user = json_text(json_get(&reasons->items[k], "user"));
			struct str team = json_text(json_get(&reasons->items[k], "team"));

			name_write(w, l, user, user_named(t, user));
			name_write(w, l, team, team_named(t, team));
		}
	}
	jw_object_end(w);
	return OK;
}

static void next_write(
	struct json_writer *w, const struct notify_step *s, const struct recipients *t)
{
	jw_array(w);
	for (size_t i = 0; s && i < s->to_len; i++) {
		const struct notify_to *to = &s->to[i];
		struct str name = to->kind == TO_USER	   ? user_named(t, to->name)
				  : to->kind == TO_CONTACT ? contact_owner(t, to->name)
							   : to->name;

		jw_object(w);
		jw_put_text(w, "kind", notify_to_name(to->kind));
		show_text(w, "name", name);
		jw_object_end(w);
	}
	jw_array_end(w);
}

static enum err ask_deliveries_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct json_writer w = { .out = &job->out };
	struct told_list l = { .t = t, .w = &w };
	struct recipients recipients = { 0 };
	const struct notify_route *r;
	struct ask *a;
	enum err e = desk_see_ask(t, rows, &a, why);

	if (!e) e = desk_may(&job->who, job->who.role != ROLE_AGENT, why);
	if (e) return e;
	page_begin(&w);
	e = told_read(rows, a, &l, why);
	jw_array_end(&w);
	if (!e && (l.len || l.lost_len || l.next_ms))
		e = recipients_load(rows, job->who.ws, &recipients, why);
	if (e) return e;
	jw_key(&w, "names");
	e = names_write(&w, &l, &recipients, why);
	if (e) return e;
	jw_key(&w, "unreached");
	unreached_write(&w, &l);
	show_time(&w, "next_at", l.next_ms);
	r = routes_by_id(&recipients.table, a->route);
	jw_key(&w, "next_to");
	next_write(&w,
		r && l.next_ms && (size_t)l.next_step < r->steps_len
			? &r->steps[l.next_step]
			: NULL,
		&recipients);
	jw_object_end(&w);
	return OK;
}

const struct use use_ask_deliveries =
	READS("ask_deliveries", 0, 0, ask_deliveries_read, NULL);
