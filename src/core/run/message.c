/* message.c - names of roles, statuses and scopes, and the JSON of messages, tasks,
 * memories. */
#include "core/run/message.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"
#include "core/shared/shape.h"
#include "core/shared/show.h"

static const char *const roles[] = {
	[MESSAGE_SYSTEM] = "system",
	[MESSAGE_USER] = "user",
	[MESSAGE_ASSISTANT] = "assistant",
	[MESSAGE_TOOL] = "tool",
};

static const char *const task_statuses[] = {
	[TASK_PENDING] = "pending",
	[TASK_IN_PROGRESS] = "in_progress",
	[TASK_COMPLETED] = "completed",
};

const char *const memory_scope_names[MEMORY_SESSION + 1] = {
	[MEMORY_WORKSPACE] = "workspace",
	[MEMORY_AGENT] = "agent",
	[MEMORY_SESSION] = "session",
};

ENUM_NAMES(message_role, roles)
ENUM_NAMES(task_status, task_statuses)
ENUM_NAMES(memory_scope, memory_scope_names)

void message_write(struct json_writer *w, const struct run_message *m)
{
	bool spoke = m->role == MESSAGE_ASSISTANT || m->model.len; /* or made a summary */

	jw_object(w);
	show_text(w, "id", m->id);
	show_text(w, "session", m->session);
	show_text(w, "run", m->run);
	show_text(w, "role", str_of(roles[m->role]));
	show_json(w, "content", m->content);
	show_text(w, "model", m->model);
	jw_key(w, "usage");
	if (spoke)
		usage_write(w, &m->usage);
	else
		jw_null(w);
	jw_key(w, "cost_usd");
	cost_write(w, spoke ? m->cost : COST_UNKNOWN);
	show_text(w, "stop", m->stop);
	show_time(w, "created_at", m->created_ms);
	jw_object_end(w);
}

struct str message_text(struct str text, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	jw_array(&w);
	jw_object(&w);
	jw_put_text(&w, "type", "text");
	jw_put_str(&w, "text", text);
	jw_object_end(&w);
	jw_array_end(&w);
	return buf_keep_done(&b, arena);
}

struct str message_line(struct str text, struct arena *arena)
{
	struct str line, first;

	while (str_cut(&text, '\n', &line)) {
		line = str_trim(line);
		if (!line.len) continue;
		first = utf8_first(line, MESSAGE_LINE_MAX);
		if (first.len == line.len) return line;
		return arena_print(
			arena, "%.*s…", STR_ARGS(utf8_first(line, MESSAGE_LINE_MAX - 1)));
	}
	return STR_NONE;
}

void todo_write(struct json_writer *w, const struct todo *t)
{
	jw_object(w);
	show_text(w, "id", t->id);
	show_text(w, "session", t->session);
	show_text(w, "run", t->run);
	show_text(w, "name", t->name);
	show_text(w, "description", t->description);
	show_text(w, "status", str_of(task_statuses[t->status]));
	jw_put_int(w, "priority", t->priority);
	show_time(w, "created_at", t->created_ms);
	show_time(w, "updated_at", t->updated_ms);
	jw_object_end(w);
}

void memory_write(struct json_writer *w, const struct memory *m)
{
	jw_object(w);
	show_text(w, "id", m->id);
	show_text(w, "scope", str_of(memory_scope_names[m->scope]));
	show_text(w, "agent", m->agent);
	show_text(w, "session", m->session);
	show_text(w, "text", m->text);
	show_json(w, "tags", m->tags.len ? m->tags : STR("[]"));
	show_time(w, "created_at", m->created_ms);
	jw_object_end(w);
}

/* ---- the body of a message ---- */

bool message_language_valid(struct str name)
{
	return str_is(name, "en") || str_is(name, "fr");
}

const char *const message_on_limits[] = { NULL, "ask", "stop" };

static const char *const whens[] = { "next", "now" };

static const struct shape_member say_members[] = {
	{ STR("content"), OF_TEXT, AT(say, content), 1, SAY_MAX,
		TEXT_FILLED | TEXT_NEEDED },
	{ STR("agent"), OF_TEXT, AT(say, agent), 1, 100, TEXT_LINE | TEXT_FILLED },
	{ STR("lang"), OF_NAME, AT(say, language), .must = LANGUAGE_MUST,
		.fits = message_language_valid },
	{ STR("when"), OF_EITHER, AT(say, now), .must = "next or now", WORDS(whens) },
	{ STR("limits"), OF_JSON, AT(say, limits) },
	{ STR("on_ended"), OF_JSON, AT(say, on_ended) },
	{ STR("output_schema"), OF_JSON, AT(say, output_schema) },
	{ STR("on_limit"), OF_WORD, AT(say, on_limit), WORDS(message_on_limits),
		.must = ON_LIMIT_MUST },
	{ STR("queue"), OF_BOOL, AT(say, queue), .otherwise = true },
};
/* As MessageRequest in openapi.json. */
static const struct shape say_shape = { SHAPE(say_members, say) };

enum err message_body_read(const struct json *body, struct say *out, struct fault *why)
{
	struct say s = { 0 };
	enum err e = shape_take(&say_shape, body, NULL, NULL, &s, why);

	if (!e) *out = s;
	return e;
}

struct str message_title(struct str content, struct arena *arena)
{
	struct str rest = str_trim(content), line;
	struct buf b = { .max = 4096 };

	str_cut(&rest, '\n', &line);
	text_flatten(&b, utf8_first(str_trim(line), SAY_TITLE));
	return buf_keep_done(&b, arena);
}
