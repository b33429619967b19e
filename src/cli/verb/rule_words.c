/* rule_words.c - a rule as a sentence, for lists and for what is about to change. */
#include "cli/verb/rule_words.h"

#include "base/clock.h"
#include "base/keep.h"
#include "cli/resource.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/words.h"

#include <stdio.h>

static void part_add(struct buf *out, const char *id, struct str text, struct cli *cli)
{
	if (!text.len) return;
	buf_add_char(out, ' ');
	buf_add(out, MSG(&cli->arena, id, { "text", safe_line(&cli->arena, text) }));
}

/* The call it was made from: `npm test`, `Read(/etc/hosts)`. */
static void call_add(struct buf *out, const struct json *from)
{
	struct str tool = json_text_of(from, "tool"),
		   subject = json_text_of(from, "subject");

	buf_add_char(out, '`');
	if (!subject.len || !str_is(tool, "Bash")) safe_line_add(out, tool);
	if (subject.len && !str_is(tool, "Bash")) buf_add_char(out, '(');
	safe_line_add(out, subject);
	if (subject.len && !str_is(tool, "Bash")) buf_add_char(out, ')');
	buf_add_char(out, '`');
}

static void tools_add(struct buf *out, const struct json *rule, struct cli *cli)
{
	const struct json *match = json_get(rule, "match"),
			  *from = json_get(rule, "made_from"),
			  *tools = json_get(match, "tool");

	if (tools)
		buf_add(out, reply_texts(cli, tools, ", "));
	else if (json_get(match, "same") && json_text_of(from, "tool").len)
		call_add(out, from);
	else
		buf_add_text(
			out, msg_text(json_get(match, "same") ? "cli.rule.same"
							      : "cli.rule.everything"));
}

static struct str json_line(const struct json *json, struct cli *cli)
{
	struct buf b = { .max = 65536 };

	if (!json) return STR_NONE;
	json_write(&b, json);
	return buf_keep_done(&b, &cli->arena);
}

static void match_add(struct buf *out, const struct json *match, struct cli *cli)
{
	const struct json *risk = json_get(match, "risk"),
			  *project = json_get(match, "project");

	part_add(out, "cli.rule.type", json_text_of(match, "type"), cli);
	part_add(
		out, "cli.rule.where", json_line(json_get(match, "arguments"), cli), cli);
	part_add(out, "cli.rule.min", json_text_of(risk, "min"), cli);
	part_add(out, "cli.rule.max", json_text_of(risk, "max"), cli);
	part_add(out, "cli.rule.agent", json_text_of(match, "agent"), cli);
	part_add(out, "cli.rule.project", json_text(project), cli);
	if (json_is(project, JSON_NULL))
		buf_print(out, " %s", msg_text("cli.rule.noproject"));
	part_add(out, "cli.rule.session", json_text_of(match, "session"), cli);
}

/* "· 2 approvals from team:ops". */
static void require_add(struct buf *out, const struct json *part, struct cli *cli)
{
	const struct json *n = json_get(part, "approvals");

	buf_add_char(out, ' ');
	buf_add(out, msg_count(&cli->arena, "cli.rule.require",
			     n && n->is_int ? n->integer : 1));
	part_add(out, "cli.rule.from", reply_texts(cli, json_get(part, "from"), ", "),
		cli);
}

static void asks_add(struct buf *out, const struct json *ask, struct cli *cli)
{
	const struct json *require = json_get(ask, "require"),
			  *timeout = json_get(ask, "timeout");

	for (const struct json *item = NULL; json_each(require, &item);)
		require_add(out, item, cli);
	part_add(out, "cli.rule.raised", json_text_of(ask, "risk"), cli);
	part_add(out, "cli.rule.verify", json_text_of(ask, "verify"), cli);
	part_add(out, "cli.rule.timeout",
		json_is(timeout, JSON_STRING) ? timeout->text : json_line(timeout, cli),
		cli);
}

static const char *effect_says(const struct json *rule)
{
	const struct json *shadow = json_get(rule, "shadow");
	bool would = json_is(shadow, JSON_OBJECT) || json_is(shadow, JSON_TRUE);
	struct str effect = json_text_of(rule, "effect");

	if (str_is(effect, "allow"))
		return would ? "cli.rule.would.allow" : "cli.rule.allow";
	if (str_is(effect, "deny"))
		return would ? "cli.rule.would.deny" : "cli.rule.deny";
	return would ? "cli.rule.would.ask" : "cli.rule.ask";
}

/* What people said where a shadow rule fits. False: it decides. */
static bool shadow_add(struct buf *out, const struct json *rule, struct cli *cli)
{
	const struct json *shadow = json_get(rule, "shadow");
	struct str counts[3];
	static const char *const names[] = { "hits", "approved", "rejected" };

	if (!json_is(shadow, JSON_OBJECT)) return false;
	for (int i = 0; i < 3; i++)
		counts[i] = arena_print(
			&cli->arena, "%lld", (long long)json_int_of(shadow, names[i]));
	buf_print(out, " %s",
		MSG(&cli->arena, "cli.rule.shadow", { "hits", counts[0] },
			{ "approved", counts[1] }, { "rejected", counts[2] })
			.at);
	return true;
}

void rule_says(struct buf *out, const struct json *rule, struct cli *cli)
{
	buf_add_text(out, msg_text(effect_says(rule)));
	buf_add_char(out, ' ');
	tools_add(out, rule, cli);
	match_add(out, json_get(rule, "match"), cli);
	asks_add(out, json_get(rule, "ask"), cli);
}

/* The same with its end, use, maker and note. */
static void rule_line(struct buf *out, const struct json *rule, struct cli *cli)
{
	struct str expires = json_text_of(rule, "expires_at");
	int64_t until = 0;

	rule_says(out, rule, cli);
	if (expires.len && time_read(expires, &until))
		part_add(out, "cli.rule.until",
			time_local(until, clock_now_ms(), &cli->arena), cli);
	if (!shadow_add(out, rule, cli)) {
		buf_add_char(out, ' ');
		buf_add(out, msg_count(&cli->arena, "cli.rule.hits",
				     json_int_of(rule, "hits")));
	}
	part_add(
		out, "cli.rule.by", json_text_of(json_get(rule, "made_by"), "name"), cli);
	part_add(out, "cli.rule.note", json_text_of(rule, "note"), cli);
	part_add(
		out, "cli.rule.ended", json_text_of(json_get(rule, "ended"), "why"), cli);
	if (json_is(json_get(rule, "enabled"), JSON_FALSE))
		buf_print(out, " %s", msg_text("cli.rule.off"));
}

void rule_print(struct cli *cli, const struct json *rule)
{
	struct buf line = { .max = 65536 };

	rule_line(&line, rule, cli);
	printf("%.*s  %s\n", STR_ARGS(json_text_of(rule, "id")), buf_text(&line));
	buf_done(&line);
}

static struct str sentence_cell(struct cli *cli, const struct json *rule)
{
	struct buf line = { .max = 65536 };

	rule_says(&line, rule, cli);
	shadow_add(&line, rule, cli);
	part_add(&line, "cli.rule.note", json_text_of(rule, "note"), cli);
	if (json_is(json_get(rule, "enabled"), JSON_FALSE))
		buf_print(&line, " %s", msg_text("cli.rule.off"));
	return buf_keep_done(&line, &cli->arena);
}

const struct table_column rule_columns[] = { { "cli.list.id", 0, "id", .kind = CELL_ID },
	{ "cli.rule.used", -1, "hits", .kind = CELL_COUNT },
	{ "cli.stop.ends", 0, "expires_at", .kind = CELL_TIME },
	{ "cli.list.by", 0, "made_by/name" },
	{ "cli.rule.effect", 0, .cell = sentence_cell }, { 0 } };
