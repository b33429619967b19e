/* draft.c - reads the body of a new ask: all members, in any of its accepted forms. */
#include "core/ask/draft.h"

#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "core/ask/reply.h"
#include "core/people/project.h"
#include "core/policy/operation.h"

enum draft_member {
	M_SESSION,
	M_KIND,
	M_TITLE,
	M_CONTEXT,
	M_QUESTIONS,
	M_QUESTION,
	M_OPERATION,
	M_TIMEOUT,
	M_DEFAULT,
	M_PRIORITY,
	M_ASSIGNEES,
	M_METADATA,
	M_REQUIRE,
	M_SENSITIVE,
	M_PROJECT,
	M_LEN,
};

static const struct str names[M_LEN] = {
	[M_SESSION] = STR("session"),
	[M_KIND] = STR("kind"),
	[M_TITLE] = STR("title"),
	[M_CONTEXT] = STR("context"),
	[M_QUESTIONS] = STR("questions"),
	[M_QUESTION] = STR("question"),
	[M_OPERATION] = STR("operation"),
	[M_TIMEOUT] = STR("timeout"),
	[M_DEFAULT] = STR("default"),
	[M_PRIORITY] = STR("priority"),
	[M_ASSIGNEES] = STR("assignees"),
	[M_METADATA] = STR("metadata"),
	[M_REQUIRE] = STR("require"),
	[M_SENSITIVE] = STR("sensitive"),
	[M_PROJECT] = STR("project"),
};
const struct members ask_members = { names, M_LEN };

enum { SESSION_NAME_MAX = 64 };

/* One body being read. */
struct draft_reading {
	struct check check;
	struct json_place root;
	const struct json *body;
	const struct json *m[M_LEN];
	struct arena *arena;
	struct draft draft;
	struct keepsake keep;
};

static struct json_place place_of(const struct draft_reading *r, enum draft_member m)
{
	return place_member(&r->root, names[m]);
}

#define WRONG(r, m, ...) wrong_member(&(r)->check, &(r)->root, names[m], __VA_ARGS__)

static void read_kind(struct draft_reading *r)
{
	struct draft *d = &r->draft;

	if (r->m[M_KIND] && !ask_kind_read(json_text(r->m[M_KIND]), &d->kind))
		WRONG(r, M_KIND,
			"must be blocking, non_blocking, approval or error_recovery");
	if (r->m[M_PRIORITY] && !priority_read(json_text(r->m[M_PRIORITY]), &d->priority))
		WRONG(r, M_PRIORITY, "must be low, normal, high or urgent");
}

static void read_operation(struct draft_reading *r)
{
	const struct json *operation = r->m[M_OPERATION];
	struct json_place at = place_of(r, M_OPERATION);

	if (!operation) return;
	if (r->draft.kind != ASK_APPROVAL && r->draft.kind != ASK_ERROR_RECOVERY)
		wrong(&r->check, &at, "only for kind approval or error_recovery");
	operation_check(&r->check, operation, &at, &r->draft.risk);
	r->draft.operation = operation;
}

static void read_require(struct draft_reading *r)
{
	struct json_place at = place_of(r, M_REQUIRE);

	if (!r->m[M_REQUIRE]) return;
	if (r->draft.kind != ASK_APPROVAL)
		wrong(&r->check, &at, "only for kind approval");
	require_check(&r->check, &at, r->m[M_REQUIRE], r->arena, &r->draft.require);
}

static void read_flat(struct draft_reading *r)
{
	struct question *q = ARENA_NEW(r->arena, struct question);

	if (r->m[M_QUESTIONS])
		WRONG(r, M_QUESTION, "give question or questions, not both");
	if (!q) return;
	question_check(&r->check, r->body, &r->root, true, 1, r->arena, q);
	r->draft.questions = q;
	r->draft.questions_len = 1;
}

static bool key_taken(const struct draft *d, struct str key)
{
	for (size_t i = 0; i < d->questions_len; i++)
		if (str_eq(d->questions[i].key, key)) return true;
	return false;
}

static void read_list(struct draft_reading *r)
{
	const struct json *list = r->m[M_QUESTIONS];
	struct json_place at = place_of(r, M_QUESTIONS);
	struct draft *d = &r->draft;

	if (list->type != JSON_ARRAY || list->count < 1 || list->count > QUESTIONS_MAX) {
		wrong(&r->check, &at, "must be 1 to %d questions", QUESTIONS_MAX);
		return;
	}
	d->questions = ARENA_ARRAY(r->arena, struct question, list->count);
	if (!d->questions) return;
	for (uint32_t i = 0; i < list->count; i++) {
		struct question *q = &d->questions[i];
		struct json_place item = place_item(&at, i);

		question_check(
			&r->check, &list->items[i], &item, false, i + 1, r->arena, q);
		if (q->key.len && key_taken(d, q->key))
			wrong_member(&r->check, &item, STR("key"),
				"another question has the key \"%.*s\"",
				STR_ARGS(q->key));
		d->questions_len++;
	}
}

static void read_none(struct draft_reading *r)
{
	struct draft *d = &r->draft;

	if (d->kind != ASK_APPROVAL && d->kind != ASK_ERROR_RECOVERY) {
		WRONG(r, M_QUESTIONS, "required: ask 1 to %d questions", QUESTIONS_MAX);
		return;
	}
	d->questions = ARENA_NEW(r->arena, struct question);
	if (!d->questions) return;
	if (d->kind == ASK_APPROVAL)
		draft_decision_question(d, r->arena, d->questions);
	else
		draft_recovery_question(d, r->m[M_CONTEXT], r->arena, d->questions);
	d->questions_len = 1;
}

/* Approval questions and approvals go together. */
static void check_approval(struct draft_reading *r)
{
	const struct draft *d = &r->draft;
	struct json_place list = place_of(r, M_QUESTIONS);
	size_t found = 0;

	for (size_t i = 0; i < d->questions_len; i++) {
		struct json_place item =
			r->m[M_QUESTION] ? r->root : place_item(&list, i);

		if (!question_decides(&d->questions[i])) continue;
		found++;
		if (d->kind != ASK_APPROVAL)
			wrong_member(&r->check, &item, STR("type"),
				"type approval is only for kind approval");
	}
	if (d->kind == ASK_APPROVAL && d->questions_len && !found)
		wrong(&r->check, &list, "an approval needs a question of type approval");
}

static void read_questions(struct draft_reading *r)
{
	if (r->m[M_QUESTION])
		read_flat(r);
	else if (r->m[M_QUESTIONS])
		read_list(r);
	else
		read_none(r);
	check_approval(r);
}

/* The default can be read only once the questions are right. */
static void read_default(struct draft_reading *r)
{
	const struct draft *d = &r->draft;
	struct json_place at = place_of(r, M_DEFAULT);

	if (!r->m[M_DEFAULT] || r->check.failed || r->arena->failed) return;
	r->keep.fallback = answer_default_read(&r->check, &at, d->questions,
		d->questions_len, r->m[M_DEFAULT], r->arena);
}

static void read_members(struct draft_reading *r, const struct draft_limits *limits)
{
	struct json_place context = place_of(r, M_CONTEXT),
			  metadata = place_of(r, M_METADATA);
	struct json_place timeout = place_of(r, M_TIMEOUT),
			  assignees = place_of(r, M_ASSIGNEES);
	struct draft *d = &r->draft;

	d->session = text_read(&r->check, &r->root, names[M_SESSION], r->m[M_SESSION],
		SESSION_NAME_MAX, TEXT_LINE | TEXT_FILLED);
	d->project = text_read(&r->check, &r->root, names[M_PROJECT], r->m[M_PROJECT],
		PROJECT_MAX, TEXT_LINE | TEXT_FILLED);
	read_kind(r);
	d->title = text_read(&r->check, &r->root, names[M_TITLE], r->m[M_TITLE],
		ASK_TITLE_MAX, TEXT_LINE);
	if (r->m[M_CONTEXT]) context_check(&r->check, &context, r->m[M_CONTEXT]);
	read_operation(r);
	read_require(r);
	read_questions(r);
	if (d->kind == ASK_APPROVAL && d->operation && text_blank(d->title))
		d->title = operation_title(d->operation, ASK_TITLE_MAX, r->arena);
	if (r->m[M_TIMEOUT])
		d->timeout_ms =
			timeout_check(&r->check, &timeout, r->m[M_TIMEOUT], limits);
	if (r->m[M_ASSIGNEES])
		assignees_check(&r->check, &assignees, r->m[M_ASSIGNEES], r->arena,
			&d->assignees, &d->assignees_len);
	d->sensitive = flag_read(
		&r->check, &r->root, names[M_SENSITIVE], r->m[M_SENSITIVE], false);
	r->keep.context = r->m[M_CONTEXT];
	r->keep.metadata =
		context_metadata_read(&r->check, &metadata, r->m[M_METADATA], r->arena);
	read_default(r);
}

enum err draft_read(const struct json *body, const struct draft_limits *limits,
	struct arena *arena, struct draft *out, struct fault *why)
{
	struct draft_reading r = {
		.check = { .why = why },
		.root = place_root(""),
		.body = body,
		.arena = arena,
		.draft = { .kind = ASK_BLOCKING,
			.priority = PRIORITY_NORMAL,
			.schema = limits->schema },
	};
	/* A flat question names the unknown members itself: some are its own. */
	const struct json *flat = json_get(body, "question");
	struct check silent = { 0 };
	struct check *members = flat && flat->type != JSON_NULL ? &silent : &r.check;

	if (members_read(members, &r.root, body, &ask_members, NULL, r.m))
		read_members(&r, limits);
	if (!r.check.failed && !arena->failed) draft_keep(&r.draft, &r.keep, arena);
	enum err e = check_end(&r.check, arena);
	if (!e) *out = r.draft;
	return e;
}

enum err draft_plain(
	struct str text, struct arena *arena, struct draft *out, struct fault *why)
{
	const struct keepsake keep = { .metadata = STR("{}") };
	struct draft d = { .kind = ASK_BLOCKING, .priority = PRIORITY_NORMAL };

	if (!utf8_valid(text)) return fail_at(why, "", "must be UTF-8");
	if (text.len && memchr(text.at, '\0', text.len))
		return fail_at(why, "", "must not contain U+0000");
	if (text_blank(text)) return fail_at(why, "", "must not be empty");
	if (text_longer(text, QUESTION_TEXT_MAX))
		return fail_at(
			why, "", "must have at most %d characters", QUESTION_TEXT_MAX);
	d.questions = ARENA_NEW(arena, struct question);
	if (d.questions) {
		*d.questions = (struct question){
			.key = STR("q1"),
			.text = arena_str(arena, text),
			.type = Q_BOOLEAN,
			.required = true,
		};
		d.questions_len = 1;
		draft_keep(&d, &keep, arena);
	}
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*out = d;
	return OK;
}
