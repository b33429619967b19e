/* run_tools.c - the tools that work in the store: done in the commit that decides on them, so
 * once and for ever. A row for each in the table at the end. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/run/output.h"
#include "core/shared/body.h"
#include "core/shared/show.h"
#include "desk/run/memory_index.h"
#include "desk/run/run_inner.h"

enum { NOTES_SHOWN = 50, TODOS_SHOWN = 200 };

/* A call at work. `text` is its result, or with `wrong` its error. */
struct doing {
	const struct run_job *j;
	struct rows *rows;
	struct session *s;
	struct run *r;
	struct tool_call *c;
	const struct json *args;
	struct str operation;
	struct str text;
	bool wrong;
	bool waits;    /* it does not end now */
	bool given_up; /* and the run with it */
};

typedef enum err do_fn(struct doing *, struct fault *why);

static struct str arg_text(const struct doing *d, const char *name)
{
	return json_text(json_get(d->args, name));
}

static enum err wrong_say(struct doing *d, const char *text)
{
	d->wrong = true;
	d->text = str_of(text);
	return OK;
}

static struct str folded(struct str text, struct arena *arena)
{
	struct buf b = { 0 };

	utf8_fold(&b, text);
	return buf_keep_done(&b, arena);
}

/* ---- ask_user_question ---- */

static void option_put(struct json_writer *w, const struct json *option)
{
	fields_object(w, FIELDS(field_text("label", json_text(json_get(option, "label"))),
				 field_some(field_text("description",
					 json_text(json_get(option, "description"))))));
}

static void question_put(struct json_writer *w, const struct json *q)
{
	const struct json *options = json_get(q, "options");
	bool choice = json_is(options, JSON_ARRAY) && options->count > 0;
	bool many = json_is(json_get(q, "multiSelect"), JSON_TRUE);

	jw_object(w);
	show_text(w, "text", json_text(json_get(q, "question")));
	if (json_text(json_get(q, "header")).len)
		show_text(w, "header", utf8_first(json_text(json_get(q, "header")), 80));
	show_text(
		w, "type", choice ? many ? STR("choices") : STR("choice") : STR("text"));
	if (choice) {
		jw_put_array(w, "options");
		for (uint32_t i = 0; i < options->count; i++)
			option_put(w, &options->items[i]);
		jw_array_end(w);
		jw_put_bool(w, "other", true);
	}
	jw_object_end(w);
}

static enum err ask_do(struct doing *d, struct fault *why)
{
	const struct json *questions = json_get(d->args, "questions");
	const struct json *values = json_get(d->args, "values");
	struct str template = arg_text(d, "template");
	struct fault bad = { 0 };
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct ask_from from = { .origin = ASK_BY_RUN_QUESTION };
	struct ask *a;
	enum err e;

	jw_object(&w);
	show_text(&w, "kind", STR("blocking"));
	if (template.len) jw_put_str(&w, "template", template);
	if (template.len && values) jw_put_json(&w, "values", values);
	if (!template.len || questions) jw_put_array(&w, "questions");
	for (uint32_t i = 0; questions && i < questions->count; i++)
		question_put(&w, &questions->items[i]);
	if (!template.len || questions) jw_array_end(&w);
	jw_object_end(&w);
	e = run_ask(d->j, from, buf_keep_done(&b, d->rows->arena), &a, &bad);
	if (e == ERR_INVALID || e == ERR_BAD_REQUEST) {
		d->wrong = true;
		d->text = arena_str(d->rows->arena,
			str_of(bad.items_len ? bad.items[0].detail : bad.detail));
		return OK;
	}
	if (e) {
		*why = bad;
		return e;
	}
	e = tool_call_act(d->c, CALL_ASK, why);
	d->c->ask = a->id;
	d->waits = true;
	return e;
}

/* ---- report ---- */

static enum err report_do(struct doing *d, struct fault *why)
{
	const struct json *schema = d->j->agent ? d->j->agent->output_schema : NULL;
	struct str said = arg_text(d, "markdown");

	d->text = STR("reported");
	if (schema && !output_fits(schema, str_trim(said), d->rows->arena, &d->text)) {
		bool may;
		enum err e = run_may_repair(d->j, &may, why);

		d->wrong = true;
		d->given_up = !may;
		return e;
	}
	d->r->report = arena_str(d->rows->arena, schema ? str_trim(said) : said);
	return OK;
}

/* ---- memory ---- */

static bool memory_seen(const struct doing *d, const struct memory *m)
{
	if (m->ws != d->r->ws) return false;
	return m->scope == MEMORY_WORKSPACE ||
	       (m->scope == MEMORY_AGENT && str_eq(m->agent, d->r->agent)) ||
	       (m->scope == MEMORY_SESSION && str_eq(m->session, d->s->id));
}

static bool memory_shown(void *ctx, const struct memory *m)
{
	const struct doing *d = ctx;
	struct str scope = arg_text(d, "scope");

	return memory_seen(d, m) &&
	       (!scope.len || str_is(scope, memory_scope_name(m->scope)));
}

/* Notes that this run can see, which fit all words: whole words first, then the newest. */
static enum err memories_find(struct doing *d, struct str q, struct fault *why)
{
	const struct memory *found[NOTES_SHOWN];
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct memory_search s = {
		.ws = d->r->ws, .shown = memory_shown, .ctx = d, .most = NOTES_SHOWN
	};
	size_t len = 0;
	enum err e;

	memory_query_read(q, d->rows->arena, &s.query);
	e = memory_index_find(d->rows, &s, found, &len, why);
	if (e) return e;
	jw_array(&w);
	for (size_t i = 0; i < len; i++)
		memory_write(&w, found[i]);
	jw_array_end(&w);
	d->text = buf_keep_done(&b, d->rows->arena);
	return OK;
}

static enum err memory_get(struct doing *d, const struct memory **out, struct fault *why)
{
	enum err e = rows_get(
		d->rows, RECORD_MEMORIES, KEY(d->r->ws, arg_text(d, "id")), out, why);

	if (!e && *out && !memory_seen(d, *out)) *out = NULL;
	return e;
}

static enum err memory_add(struct doing *d, struct fault *why)
{
	struct str text = arg_text(d, "text"), scope = arg_text(d, "scope");
	const struct json *tags = json_get(d->args, "tags");
	struct memory m = { .ws = d->r->ws,
		.id = rows_new_id(d->rows, "mem"),
		.scope = MEMORY_AGENT,
		.text = text,
		.created_ms = d->rows->now_ms };
	enum err e;

	if (!str_trim(text).len || text_longer(text, MEMORY_TEXT_MAX))
		return wrong_say(d, "text: 1 to 10,000 characters");
	if (tags && tags->count > MEMORY_TAGS_MAX)
		return wrong_say(d, "tags: at most 20");
	if (scope.len) memory_scope_read(scope, &m.scope);
	if (m.scope != MEMORY_WORKSPACE) m.agent = d->r->agent;
	if (m.scope == MEMORY_SESSION) m.session = d->s->id;
	if (json_is(tags, JSON_ARRAY)) m.tags = json_keep(tags, d->rows->arena);
	m.search = folded(arena_print(d->rows->arena, "%.*s %.*s", STR_ARGS(text),
				  STR_ARGS(m.tags)),
		d->rows->arena);
	d->text = arena_print(d->rows->arena, "{\"id\":\"%.*s\"}", STR_ARGS(m.id));
	e = memory_index_add(d->rows, &m, why);
	if (!e) rows_new(d->rows, RECORD_MEMORIES, &m);
	return e;
}

static enum err memory_do(struct doing *d, struct fault *why)
{
	const struct memory *m;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum err e;

	if (str_is(d->operation, "add")) return memory_add(d, why);
	if (str_is(d->operation, "list")) return memories_find(d, STR_NONE, why);
	if (str_is(d->operation, "search"))
		return memories_find(d, arg_text(d, "q"), why);
	e = memory_get(d, &m, why);
	if (e) return e;
	if (!m) return wrong_say(d, "there is no such note");
	if (str_is(d->operation, "get")) {
		memory_write(&w, m);
		d->text = buf_keep_done(&b, d->rows->arena);
		return OK;
	}
	d->text = STR("deleted");
	memory_index_remove(d->rows, m);
	rows_delete(d->rows, m);
	return OK;
}

/* ---- todo ---- */

static void todo_event(struct doing *d, const char *type, const struct todo *item)
{
	run_event(d->j, type,
		FIELDS(field_text("task", item->id), field_text("name", item->name),
			field_word("status", task_status_name(item->status)),
			field_int("priority", item->priority)));
}

static enum err todos_fetch(struct doing *d, struct fault *why)
{
	return rows_fetch(d->rows, RECORD_TASKS, SQL_TASK_LIST,
		ARGS(d->r->ws, d->s->id, TODOS_SHOWN), why);
}

static enum err todo_list(struct doing *d, struct fault *why)
{
	const struct todo *item = NULL;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	enum err e = todos_fetch(d, why);

	if (e) return e;
	jw_array(&w);
	while ((item = rows_next(d->rows, RECORD_TASKS, item)))
		if (str_eq(item->session, d->s->id)) todo_write(&w, item);
	jw_array_end(&w);
	d->text = buf_keep_done(&b, d->rows->arena);
	return OK;
}

/* What the arguments say of it. False: something is wrong, and said. */
static bool todo_fill(struct doing *d, struct todo *item)
{
	const struct json *priority = json_get(d->args, "priority");
	struct str name = str_trim(arg_text(d, "name")),
		   text = arg_text(d, "description");
	struct str status = arg_text(d, "status");

	if (name.len) item->name = name;
	if (text.len) item->description = text;
	if (json_is(priority, JSON_NUMBER)) item->priority = priority->integer;
	if (status.len) task_status_read(status, &item->status);
	if (item->name.len && !text_longer(item->name, TASK_NAME_MAX) &&
		!text_longer(item->description, TASK_TEXT_MAX))
		return true;
	wrong_say(d, "name: 1 to 200 characters; description: at most 5,000");
	return false;
}

static void todo_create(struct doing *d)
{
	struct todo item = { .ws = d->r->ws,
		.id = rows_new_id(d->rows, "tsk"),
		.session = d->s->id,
		.run = d->r->id,
		.priority = TASK_PRIORITY,
		.created_ms = d->rows->now_ms,
		.updated_ms = d->rows->now_ms };

	if (!todo_fill(d, &item)) return;
	rows_new(d->rows, RECORD_TASKS, &item);
	d->text = arena_print(d->rows->arena, "{\"id\":\"%.*s\"}", STR_ARGS(item.id));
	todo_event(d, "task.created", &item);
}

static enum err todo_do(struct doing *d, struct fault *why)
{
	const struct todo *at;
	struct todo *item;
	enum err e;

	if (str_is(d->operation, "list")) return todo_list(d, why);
	if (str_is(d->operation, "create")) {
		todo_create(d);
		return OK;
	}
	e = todos_fetch(d, why);
	if (e) return e;
	at = rows_find(d->rows, RECORD_TASKS, arg_text(d, "id"));
	if (!at || !str_eq(at->session, d->s->id))
		return wrong_say(d, "there is no such task");
	if (str_is(d->operation, "delete")) {
		todo_event(d, "task.deleted", at);
		d->text = STR("deleted");
		rows_delete(d->rows, at);
		return OK;
	}
	item = rows_change(d->rows, at);
	if (str_is(d->operation, "complete"))
		item->status = TASK_COMPLETED;
	else if (!todo_fill(d, item))
		return OK;
	item->updated_ms = d->rows->now_ms;
	d->text = STR("done");
	todo_event(d, item->status == TASK_COMPLETED ? "task.completed" : "task.updated",
		item);
	return OK;
}

/* ---- sub-agents ---- */

static enum err children_do(struct doing *d, struct fault *why)
{
	enum err e = run_children_start(d->j, d->c, d->args, &d->text, why);

	d->wrong = d->text.len > 0;
	d->waits = !d->wrong;
	return e;
}

/* ---- the table ---- */

static do_fn *const does[RUN_TOOLS] = {
	[RUN_TOOL_ASK] = ask_do,
	[RUN_TOOL_REPORT] = report_do,
	[RUN_TOOL_MEMORY] = memory_do,
	[RUN_TOOL_TODO] = todo_do,
	[RUN_TOOL_DELEGATE] = children_do,
	[RUN_TOOL_SPAWN] = children_do,
	[RUN_TOOL_PARALLEL] = children_do,
};

enum err run_tool_do(const struct run_job *j, struct tool_call *c, struct fault *why)
{
	struct run_toolbox box;
	struct doing d = { .j = j, .rows = j->rows, .s = j->s, .r = j->r, .c = c };
	const struct run_operation *op;
	struct json_miss wrong = { STR_NONE, STR("it cannot be done here") };
	enum err e = run_call_use(j, c, why);

	if (e >= ERR_UNAVAILABLE) return e;
	if (e)
		return run_call_end(j, c, CALL_REJECT,
			arena_str(j->rows->arena, str_of(why->detail)), why);
	e = json_read(tool_call_arguments(c), NULL, j->rows->arena, &d.args, why);
	if (!e) e = run_toolbox(j, &box, why);
	if (e) return e;
	/* What was asked for in this very commit was checked there. */
	op = rows_is_new(c) && !c->approved_arguments.len
		     ? run_tool_operation(c->name, d.args)
		     : run_tool_call(&box, c->name, d.args, j->rows->arena, &wrong);
	if (!op || op->tool >= RUN_TOOLS || !does[op->tool])
		return run_call_end(
			j, c, CALL_FAIL, run_tool_wrong(&wrong, j->rows->arena), why);
	d.operation = str_of(op->name);
	c->attempts++;
	c->started_ms = j->rows->now_ms;
	e = does[op->tool](&d, why);
	/* The results of other tools hold only what the model wrote itself: no secrets to
	 * mask. */
	if (!e && op->tool == RUN_TOOL_MEMORY)
		e = configured_mask(j->t->desk, j->rows, j->r->ws, &d.text, why);
	if (!e && !d.waits)
		e = run_call_end(j, c, d.wrong ? CALL_FAIL : CALL_FINISH, d.text, why);
	if (!e && d.given_up) return run_fail(j, TROUBLE_OUTPUT, d.text, why);
	if (e || op->tool != RUN_TOOL_REPORT || d.wrong) return e;
	return run_complete(j, j->r->report, why);
}

enum err run_tool_alone(struct task *t, struct rows *rows, struct session *s,
	struct tool_call *c, struct str *text, bool *wrong, struct fault *why)
{
	struct run none = { .ws = s->ws, .agent = s->agent, .session = s->id };
	const struct run_job j = { .t = t, .rows = rows, .s = s, .r = &none };
	struct doing d = { .j = &j, .rows = rows, .s = s, .r = &none, .c = c };
	const struct run_operation *op;
	enum err e = json_read(tool_call_arguments(c), NULL, rows->arena, &d.args, why);

	if (e) return e;
	op = run_tool_operation(c->name, d.args);
	if (!op || !run_tools[op->tool].mcp)
		return fail(why, ERR_INTERNAL, "no tool for agents from elsewhere");
	d.operation = str_of(op->name);
	e = does[op->tool](&d, why);
	if (!e) e = configured_mask(t->desk, rows, s->ws, &d.text, why);
	*text = d.text;
	*wrong = d.wrong;
	return e;
}
