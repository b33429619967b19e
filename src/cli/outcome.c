/* outcome.c - a settled ask as exit status, stdout and one sentence. */
#include "cli/outcome.h"

#include <stdio.h>

#include "text/safe_text.h"
#include "tui/words.h"

enum { OUT_MAX = 1 << 20 };

static void line_add(struct buf *out, struct str key, struct str text)
{
	if (key.len > 0) {
		buf_add(out, key);
		buf_add_char(out, '=');
	}
	buf_add(out, text);
	buf_add_char(out, '\n');
}

static void value_add(struct buf *out, struct str key, const struct json *value)
{
	if (json_is_bool(value))
		line_add(out, key, value->type == JSON_TRUE ? STR("yes") : STR("no"));
	else if (json_is(value, JSON_STRING) || json_is(value, JSON_NUMBER))
		line_add(out, key, value->text);
}

static void answer_add(struct buf *out, struct str key, const struct json *answer)
{
	const struct json *selected = json_get(answer, "selected");
	const struct json *other = json_get(answer, "other"),
			  *text = json_get(answer, "text");

	value_add(out, key, json_get(answer, "value"));
	for (const struct json *item = NULL; json_each(selected, &item);)
		line_add(out, key, json_text(item));
	if (json_is(other, JSON_STRING)) line_add(out, key, other->text);
	if (json_is(text, JSON_STRING)) line_add(out, key, text->text);
}

/* Whoever gave the approval has taken it back: it cannot be used. */
static const struct json *revoked_of(const struct json *ask)
{
	const struct json *revoked = json_get(ask, "revoked");

	return json_is(revoked, JSON_OBJECT) ? revoked : NULL;
}

void outcome_write(const struct json *ask, struct buf *out)
{
	const struct json *questions = json_get(ask, "questions");
	const struct json *answer = json_get(ask, "answer");

	if (revoked_of(ask)) {
		line_add(out, STR_NONE, STR("reject"));
		return;
	}
	if (!json_is(questions, JSON_ARRAY) || !json_is(answer, JSON_OBJECT)) return;
	for (const struct json *one = NULL; json_each(questions, &one);) {
		struct str key = json_text_of(one, "key");

		answer_add(out, questions->count > 1 ? key : STR_NONE,
			json_get_str(answer, key));
	}
}

/* A single "no", any "reject", or an approval that was taken back. */
static bool answer_declines(const struct json *ask)
{
	const struct json *answer = json_get(ask, "answer");

	if (revoked_of(ask)) return true;
	for (uint32_t i = 0; json_is(answer, JSON_OBJECT) && i < answer->count; i++) {
		const struct json *value = json_get(&answer->members[i].value, "value");

		if (json_is(value, JSON_FALSE) && answer->count == 1) return true;
		if (str_is(json_text(value), "reject")) return true;
	}
	return false;
}

/* What the person wrote to a rejection. */
static struct str decline_note(const struct json *ask)
{
	const struct json *answer = json_get(ask, "answer");

	for (uint32_t i = 0; json_is(answer, JSON_OBJECT) && i < answer->count; i++) {
		const struct json *one = &answer->members[i].value;

		if (str_is(json_text_of(one, "value"), "reject"))
			return json_text_of(one, "text");
	}
	return STR_NONE;
}

int outcome_exit(const struct json *ask)
{
	struct str status = json_text_of(ask, "status");
	bool answered = json_is(json_get(ask, "answer"), JSON_OBJECT);

	if (str_is(status, "answered") || (str_is(status, "expired") && answered))
		return answer_declines(ask) ? EXIT_NO : EXIT_YES;
	if (str_is(status, "skipped")) return EXIT_NO;
	if (str_is(status, "expired")) return EXIT_DEADLINE;
	return EXIT_CANCELLED;
}

/* An approval is not just answered. */
static const char *answered_story(const struct json *ask)
{
	if (!str_is(json_text_of(ask, "kind"), "approval")) return "cli.story.answered";
	return answer_declines(ask) ? "cli.story.rejected" : "cli.story.approved";
}

struct str outcome_story(const struct json *ask, struct arena *arena)
{
	const struct json *by = json_get(ask, "answered_by");
	struct str status = json_text_of(ask, "status");
	struct str kind = json_text_of(by, "kind");
	struct str name = ask_settled_by(ask, arena);
	struct str reason = json_text_of(ask, "reason");
	const char *id = "cli.story.cancelled";

	if (reason.len == 0 && answer_declines(ask)) reason = decline_note(ask);

	if (str_is(status, "pending")) return STR_NONE;
	if (revoked_of(ask)) {
		by = json_get(revoked_of(ask), "by");
		name = json_text_of(by, "name");
		reason = json_text_of(revoked_of(ask), "reason");
		id = "cli.story.revoked";
	} else if (str_is(status, "answered"))
		id = str_is(kind, "policy") ? "cli.story.policy" : answered_story(ask);
	else if (str_is(status, "expired"))
		id = json_is(by, JSON_OBJECT) ? "cli.story.default" : "cli.story.expired";
	else if (str_is(status, "skipped"))
		id = name.len > 0 ? "cli.story.skipped_by" : "cli.story.skipped";
	struct str story = MSG(arena, id, { "name", name.len ? name : STR("?") },
		{ "via", json_text_of(by, "via") });
	if (reason.len == 0) return story;
	return MSG(arena, "cli.story.reason", { "story", story }, { "reason", reason });
}

void json_print(const struct json *json)
{
	struct buf out = { 0 };

	if (json)
		json_write(&out, json);
	else
		buf_add_text(&out, "{}");
	buf_add_char(&out, '\n');
	fwrite(out.at, 1, out.len, stdout);
	buf_done(&out);
}

void outcome_print(const struct cli *cli, struct str text)
{
	struct buf safe = { 0 };

	if (cli->term.out_tty) {
		safe_block_add(&safe, text);
		text = buf_str(&safe);
	}
	if (text.len) fwrite(text.at, 1, text.len, stdout);
	buf_done(&safe);
}

int outcome_tell(struct cli *cli, const struct json *ask)
{
	struct str story = outcome_story(ask, &cli->arena);
	int status = outcome_exit(ask);
	struct buf raw = { .max = OUT_MAX };

	/* A plain answer needs no words when nobody watches. */
	if (cli->term.err_tty || !str_is(json_text_of(ask, "status"), "answered"))
		fprintf(stderr, "%.*s\n", STR_ARGS(story));
	if (cli_has(cli, "json")) {
		json_print(ask);
	} else {
		outcome_write(ask, &raw);
		outcome_print(cli, buf_str(&raw));
	}
	buf_done(&raw);
	return status;
}
