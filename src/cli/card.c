/* card.c - an ask as text for `parley show`. */
#include "cli/card.h"

#include "base/clock.h"
#include "cli/outcome.h"
#include "text/own.h"
#include "text/safe_text.h"
#include "text/shell.h"
#include "tui/words.h"

struct show_page {
	struct cli *cli;
	const struct json *ask;
	struct buf *out;
	bool color;
	size_t width;
};

static void heading(struct show_page *c, const char *id)
{
	buf_print(c->out, "\n%s%s%s\n", tint_on(TINT_BOLD, c->color),
		MSG(&c->cli->arena, id).at, tint_off(c->color));
}

static void block(struct show_page *c, const char *id, struct str text)
{
	if (text.len == 0) return;
	heading(c, id);
	safe_wrap_add(c->out, text, "  ", c->width);
}

static void top_write(struct show_page *c)
{
	struct arena *arena = &c->cli->arena;
	struct str facts[] = { json_text(json_get(c->ask, "id")),
		json_text(json_get(c->ask, "status")),
		json_text(json_get(c->ask, "kind")),
		json_text(json_get(json_get(c->ask, "agent"), "name")),
		json_text(json_get(c->ask, "session_title")) };
	struct str title = json_text(json_get(c->ask, "title"));
	int64_t ms;

	buf_add_text(c->out, tint_on(TINT_BOLD, c->color));
	if (title.len > 0) safe_wrap_add(c->out, title, "", c->width);
	buf_add_text(c->out, tint_off(c->color));
	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (facts[i].len == 0) continue;
		if (i > 0) buf_add_text(c->out, " · ");
		safe_line_add(c->out, facts[i]);
	}
	buf_add_char(c->out, '\n');
	buf_print(c->out, "%s", ask_age(c->ask, clock_now_ms(), arena).at);
	bool pending = str_is(json_text(json_get(c->ask, "status")), "pending");
	if (pending && time_read(json_text(json_get(c->ask, "expires_at")), &ms))
		buf_print(c->out, " · %s",
			MSG(arena,
				json_is(json_get(c->ask, "default"), JSON_OBJECT)
					? "cli.card.left.default"
					: "cli.card.left",
				{ "span", span_short(ms - clock_now_ms(), arena) })
				.at);
	buf_add_char(c->out, '\n');
}

static void context_write(struct show_page *c)
{
	const struct json *context = json_get(c->ask, "context");

	block(c, "cli.card.says", json_text(json_get(context, "text")));
	block(c, "cli.card.error", json_text(json_get(context, "error_details")));
	block(c, "cli.card.preview", json_text(json_get(context, "preview")));
	block(c, "cli.card.diff", json_text(json_get(context, "diff")));
}

static void command_add(struct buf *out, const struct json *argv)
{
	struct buf line = { 0 };

	for (uint32_t i = 0; i < argv->count; i++)
		shell_word_add(&line, json_text(&argv->items[i]));
	buf_add(out, buf_str(&line));
	buf_done(&line);
}

static void operation_write(struct show_page *c)
{
	const struct json *op = json_get(c->ask, "operation");
	const struct json *arguments = json_get(op, "arguments");
	struct str risk = json_text(json_get(op, "risk"));
	struct buf line = { 0 };

	if (!json_is(op, JSON_OBJECT)) return;
	heading(c, "cli.card.operation");
	buf_add_text(c->out, "  ");
	safe_line_add(c->out, json_text(json_get(op, "name")));
	if (risk.len > 0) {
		buf_print(c->out, "  %s", tint_on(TINT_YELLOW, c->color));
		buf_print(c->out, "%s",
			MSG(&c->cli->arena, "cli.card.risk", { "risk", risk }).at);
		buf_add_text(c->out, tint_off(c->color));
	}
	buf_add_char(c->out, '\n');
	for (uint32_t i = 0; json_is(arguments, JSON_OBJECT) && i < arguments->count;
		i++) {
		const struct json *value = &arguments->members[i].value;

		buf_clear(&line);
		buf_add(&line, arguments->members[i].name);
		buf_add_text(&line, ": ");
		if (str_is(arguments->members[i].name, "argv") &&
			json_is(value, JSON_ARRAY))
			command_add(&line, value);
		else if (value->type == JSON_STRING)
			buf_add(&line, value->text);
		else
			json_write(&line, value);
		safe_wrap_add(c->out, buf_str(&line), "    ", c->width);
	}
	if (arguments && arguments->type != JSON_OBJECT) {
		json_write(&line, arguments);
		safe_wrap_add(c->out, buf_str(&line), "    ", c->width);
	}
	buf_done(&line);
	block(c, "cli.card.digest", json_text(json_get(c->ask, "digest")));
}

static void option_write(
	struct show_page *c, const struct json *q, uint32_t at, struct str suggested)
{
	const struct json *o = &json_get(q, "options")->items[at];
	struct str id = json_text(json_get(o, "id")),
		   label = json_text(json_get(o, "label")), said;
	struct str description = json_text(json_get(o, "description"));

	said = own_words(json_text(json_get(q, "key")), label, &c->cli->arena);
	buf_print(c->out, "  %u) ", at + 1);
	safe_line_add(c->out, id);
	if (!str_eq(id, said)) {
		buf_add_text(c->out, "  ");
		safe_line_add(c->out, said);
	}
	if (suggested.len > 0 && (str_eq(suggested, id) || str_eq(suggested, label)))
		buf_print(c->out, "  %s(%s)%s", tint_on(TINT_DIM, c->color),
			MSG(&c->cli->arena, "cli.card.suggested").at, tint_off(c->color));
	buf_add_char(c->out, '\n');
	if (description.len > 0) safe_wrap_add(c->out, description, "       ", c->width);
}

/* "choose one", "yes or no; a note is possible". */
static struct str type_words(struct show_page *c, const struct json *q)
{
	struct arena *arena = &c->cli->arena;
	struct str id = arena_print(
		arena, "cli.type.%.*s", STR_ARGS(json_text(json_get(q, "type"))));
	struct str type = id.at ? MSG(arena, id.at) : STR_NONE;

	return json_is(json_get(q, "note"), JSON_OBJECT)
		       ? MSG(arena, "cli.type.note", { "type", type })
		       : type;
}

static void question_show(struct show_page *c, const struct json *q, bool several)
{
	const struct json *options = json_get(q, "options");
	struct str suggested = json_text(json_get(q, "suggested"));

	buf_add_char(c->out, '\n');
	buf_add_text(c->out, tint_on(TINT_BOLD, c->color));
	if (several) {
		safe_line_add(c->out, json_text(json_get(q, "key")));
		buf_add_text(c->out, ": ");
	}
	safe_wrap_add(c->out,
		own_words(json_text(json_get(q, "key")), json_text(json_get(q, "text")),
			&c->cli->arena),
		"", several ? 0 : c->width);
	buf_print(c->out, "%s%s  (", tint_off(c->color), tint_on(TINT_DIM, c->color));
	buf_add(c->out, type_words(c, q));
	buf_print(c->out, ")%s\n", tint_off(c->color));
	uint32_t count = json_is(options, JSON_ARRAY) ? options->count : 0;
	for (uint32_t i = 0; i < count; i++)
		option_write(c, q, i, suggested);
	if (json_is(json_get(q, "other"), JSON_TRUE))
		buf_print(c->out, "  %u) %s\n", count + 1,
			MSG(&c->cli->arena, "cli.other").at);
}

static void end_write(struct show_page *c)
{
	const struct json *replies = json_get(c->ask, "replies");
	struct str story = outcome_story(c->ask, &c->cli->arena);

	block(c, "cli.card.answer", json_text(json_get(c->ask, "summary")));
	if (story.len > 0) buf_print(c->out, "\n%.*s\n", STR_ARGS(story));
	for (uint32_t i = 0; json_is(replies, JSON_ARRAY) && i < replies->count; i++) {
		const struct json *r = &replies->items[i];

		if (i == 0) heading(c, "cli.card.replies");
		buf_add_text(c->out, "  ");
		safe_line_add(c->out, json_text(json_get(json_get(r, "by"), "name")));
		buf_add_text(c->out, ":\n");
		safe_wrap_add(c->out, json_text(json_get(r, "text")), "    ", c->width);
	}
	buf_add_char(c->out, '\n');
	safe_line_add(c->out, json_text(json_get(c->ask, "url")));
	buf_add_char(c->out, '\n');
}

void card_write(struct cli *cli, const struct json *ask, struct buf *out)
{
	struct show_page c = { cli, ask, out, cli->term.out_color, cli->term.width };
	const struct json *questions = json_get(ask, "questions");

	top_write(&c);
	operation_write(&c);
	context_write(&c);
	for (uint32_t i = 0; json_is(questions, JSON_ARRAY) && i < questions->count; i++)
		question_show(&c, &questions->items[i], questions->count > 1);
	end_write(&c);
}
