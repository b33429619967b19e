/* rule_words.c - a rule as a sentence, for lists and for what is about to change. */
#include "cli/verb/rule_words.h"

#include "base/clock.h"
#include "base/keep.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/words.h"

#include <stdio.h>

static struct str text_of(const struct json *of, const char *name)
{
	return json_text_of(of, name);
}

static void part_add(
	struct buf *out, const char *id, struct str text, struct arena *arena)
{
	if (!text.len) return;
	buf_add_char(out, ' ');
	buf_add(out, MSG(arena, id, { "text", safe_line(arena, text) }));
}

/* The call it was made from: `npm test`, `Read(/etc/hosts)`. */
static void call_add(struct buf *out, const struct json *from)
{
	struct str tool = text_of(from, "tool"), subject = text_of(from, "subject");

	buf_add_char(out, '`');
	if (!subject.len || !str_is(tool, "Bash")) safe_line_add(out, tool);
	if (subject.len && !str_is(tool, "Bash")) buf_add_char(out, '(');
	safe_line_add(out, subject);
	if (subject.len && !str_is(tool, "Bash")) buf_add_char(out, ')');
	buf_add_char(out, '`');
}

static void tools_add(struct buf *out, const struct json *rule)
{
	const struct json *match = json_get(rule, "match"),
			  *from = json_get(rule, "made_from"),
			  *tools = json_get(match, "tool");

	for (uint32_t i = 0; json_is(tools, JSON_ARRAY) && i < tools->count; i++) {
		if (i) buf_add_text(out, ", ");
		safe_line_add(out, json_text(&tools->items[i]));
	}
	if (tools) return;
	if (json_get(match, "same") && text_of(from, "tool").len)
		call_add(out, from);
	else if (json_get(match, "same"))
		buf_add_text(out, msg_text("cli.rule.same"));
	else
		buf_add_text(out, msg_text("cli.rule.everything"));
}

static struct str json_line(const struct json *json, struct arena *arena)
{
	struct buf b = { .max = 65536 };

	if (!json) return STR_NONE;
	json_write(&b, json);
	return buf_keep_done(&b, arena);
}

static void match_add(struct buf *out, const struct json *match, struct arena *arena)
{
	const struct json *risk = json_get(match, "risk"),
			  *project = json_get(match, "project");

	part_add(out, "cli.rule.type", text_of(match, "type"), arena);
	part_add(out, "cli.rule.where", json_line(json_get(match, "arguments"), arena),
		arena);
	part_add(out, "cli.rule.min", text_of(risk, "min"), arena);
	part_add(out, "cli.rule.max", text_of(risk, "max"), arena);
	part_add(out, "cli.rule.agent", text_of(match, "agent"), arena);
	part_add(out, "cli.rule.project", json_text(project), arena);
	if (json_is(project, JSON_NULL))
		buf_print(out, " %s", msg_text("cli.rule.noproject"));
	part_add(out, "cli.rule.session", text_of(match, "session"), arena);
}

/* "· 2 approvals from team:ops". */
static void require_add(struct buf *out, const struct json *part, struct arena *arena)
{
	const struct json *n = json_get(part, "approvals"),
			  *from = json_get(part, "from");
	struct buf names = { .max = 65536 };

	buf_add_char(out, ' ');
	buf_add(out,
		msg_count(arena, "cli.rule.require", n && n->is_int ? n->integer : 1));
	for (uint32_t i = 0; json_is(from, JSON_ARRAY) && i < from->count; i++) {
		if (i) buf_add_text(&names, ", ");
		buf_add(&names, json_text(&from->items[i]));
	}
	part_add(out, "cli.rule.from", buf_keep_done(&names, arena), arena);
}

static void asks_add(struct buf *out, const struct json *ask, struct arena *arena)
{
	const struct json *require = json_get(ask, "require"),
			  *timeout = json_get(ask, "timeout");

	for (const struct json *item = NULL; json_each(require, &item);)
		require_add(out, item, arena);
	part_add(out, "cli.rule.raised", text_of(ask, "risk"), arena);
	part_add(out, "cli.rule.verify", text_of(ask, "verify"), arena);
	part_add(out, "cli.rule.timeout",
		json_is(timeout, JSON_STRING) ? timeout->text : json_line(timeout, arena),
		arena);
}

void rule_says(struct buf *out, const struct json *rule, struct arena *arena)
{
	struct str effect = text_of(rule, "effect");

	buf_add_text(out, msg_text(str_is(effect, "allow")  ? "cli.rule.allow"
				   : str_is(effect, "deny") ? "cli.rule.deny"
							    : "cli.rule.ask"));
	buf_add_char(out, ' ');
	tools_add(out, rule);
	match_add(out, json_get(rule, "match"), arena);
	asks_add(out, json_get(rule, "ask"), arena);
}

/* The same with its end, use, maker and note. */
static void rule_line(struct buf *out, const struct json *rule, struct arena *arena)
{
	const struct json *hits = json_get(rule, "hits");
	struct str expires = text_of(rule, "expires_at");
	int64_t until = 0;

	rule_says(out, rule, arena);
	if (expires.len && time_read(expires, &until))
		part_add(out, "cli.rule.until", time_local(until, clock_now_ms(), arena),
			arena);
	buf_add_char(out, ' ');
	buf_add(out, msg_count(arena, "cli.rule.hits",
			     hits && hits->is_int ? hits->integer : 0));
	part_add(out, "cli.rule.by", text_of(json_get(rule, "made_by"), "name"), arena);
	part_add(out, "cli.rule.note", text_of(rule, "note"), arena);
	part_add(out, "cli.rule.ended", text_of(json_get(rule, "ended"), "why"), arena);
	if (json_is(json_get(rule, "enabled"), JSON_FALSE))
		buf_print(out, " %s", msg_text("cli.rule.off"));
}

void rule_print(struct cli *cli, const struct json *rule)
{
	struct buf line = { .max = 65536 };

	rule_line(&line, rule, &cli->arena);
	printf("%.*s  %s\n", STR_ARGS(text_of(rule, "id")), buf_text(&line));
	buf_done(&line);
}
