/* card.c - an ask as text for `parley show`: the terminal's card, and under it what the
 * shell needs to answer: keys, ids, digest. */
#include "cli/card.h"

#include "base/clock.h"
#include "text/own.h"
#include "text/safe_text.h"
#include "tui/card.h"
#include "tui/words.h"

enum { WIDTH_NONE = 4000 }; /* columns of a page for a pipe: nothing is wrapped */

struct show_page {
	struct cli *cli;
	const struct json *ask;
	struct buf *out;
	bool color;
	size_t width; /* 0: no terminal */
};

static void block(struct show_page *c, const char *id, struct str text)
{
	if (text.len == 0) return;
	buf_print(c->out, "\n%s%s%s\n", tint_on(TINT_BOLD, c->color),
		MSG(&c->cli->arena, id).at, tint_off(c->color));
	safe_wrap_add(c->out, text, "  ", c->width);
}

static enum tint style_tint(enum style style)
{
	static const enum tint tints[STYLES] = {
		[STYLE_BOLD] = TINT_BOLD,
		[STYLE_SOFT] = TINT_DIM,
		[STYLE_GOOD] = TINT_GREEN,
		[STYLE_WARN] = TINT_YELLOW,
		[STYLE_BAD] = TINT_RED,
	};

	return tints[style];
}

/* Rows of a page as lines; the blanks at their ends stay away. */
static void page_print(struct show_page *c, const struct page *p)
{
	for (size_t row = 0; row < p->rows_len; row++) {
		const struct text_run *runs;

		for (size_t n = page_row_runs(p, row, &runs); n > 0; n--, runs++) {
			enum tint tint = style_tint(runs->style);

			buf_add_text(c->out, tint_on(tint, c->color));
			buf_add(c->out, page_run_text(p, runs));
			if (tint != TINT_NONE) buf_add_text(c->out, tint_off(c->color));
		}
		buf_add_char(c->out, '\n');
	}
}

static void facts_write(struct show_page *c)
{
	struct str facts[] = { json_text_of(c->ask, "id"), json_text_of(c->ask, "status"),
		json_text_of(c->ask, "kind") };

	for (size_t i = 0; i < sizeof facts / sizeof *facts; i++) {
		if (i > 0) buf_add_text(c->out, " · ");
		safe_line_add(c->out, facts[i]);
	}
	buf_add_char(c->out, '\n');
}

static void option_write(
	struct show_page *c, const struct json *q, uint32_t at, struct str suggested)
{
	const struct json *o = &json_get(q, "options")->items[at];
	struct str id = json_text_of(o, "id"), label = json_text_of(o, "label"), said;
	struct str description = json_text_of(o, "description");

	said = own_words(json_text_of(q, "key"), label, msg_lang(), &c->cli->arena);
	buf_print(c->out, "  %u) ", at + 1);
	safe_line_add(c->out, id);
	if (!str_eq(id, said)) {
		buf_add_text(c->out, "  ");
		safe_line_add(c->out, said);
	}
	if (suggested.len > 0 && (str_eq(suggested, id) || str_eq(suggested, label)))
		buf_print(c->out, "  %s(%s)%s", tint_on(TINT_DIM, c->color),
			MSG(&c->cli->arena, "web.form.suggested").at, tint_off(c->color));
	buf_add_char(c->out, '\n');
	if (description.len > 0) safe_wrap_add(c->out, description, "       ", c->width);
}

/* "choose one", "yes or no; a note is possible". */
static struct str type_words(struct show_page *c, const struct json *q)
{
	struct arena *arena = &c->cli->arena;
	struct str id =
		arena_print(arena, "cli.type.%.*s", STR_ARGS(json_text_of(q, "type")));
	struct str type = id.at ? MSG(arena, id.at) : STR_NONE;

	return json_is(json_get(q, "note"), JSON_OBJECT)
		       ? MSG(arena, "cli.type.note", { "type", type })
		       : type;
}

static void question_show(struct show_page *c, const struct json *q, bool several)
{
	const struct json *options = json_get(q, "options");
	struct str suggested = json_text_of(q, "suggested");

	struct str text = question_text(q, &c->cli->arena);

	buf_add_char(c->out, '\n');
	buf_add_text(c->out, tint_on(TINT_BOLD, c->color));
	if (several) {
		safe_line_add(c->out, json_text_of(q, "key"));
		buf_add_text(c->out, ": ");
	}
	/* A lone question is often the title, which stands above. */
	if (several || !str_eq(text, ask_title(c->ask, &c->cli->arena)))
		safe_wrap_add(c->out, text, "", several ? 0 : c->width);
	buf_print(c->out, "%s%s  (", tint_off(c->color), tint_on(TINT_DIM, c->color));
	buf_add(c->out, type_words(c, q));
	buf_print(c->out, ")%s\n", tint_off(c->color));
	uint32_t count = json_is(options, JSON_ARRAY) ? options->count : 0;
	for (uint32_t i = 0; i < count; i++)
		option_write(c, q, i, suggested);
	if (json_is(json_get(q, "other"), JSON_TRUE))
		buf_print(c->out, "  %s\n", MSG(&c->cli->arena, "cli.other").at);
}

void card_write(struct cli *cli, const struct json *ask, const struct json *told,
	const struct json *tool, struct buf *out)
{
	struct show_page c = { cli, ask, out, cli->term.out_color, cli->term.width };
	struct card_look look = { .now_ms = clock_now_ms(), .told = told, .tool = tool };
	struct page page = { .width = c.width ? c.width : WIDTH_NONE };
	const struct json *questions = json_get(ask, "questions");

	facts_write(&c);
	card_draw(&page, ask, &look);
	page_print(&c, &page);
	page_done(&page);
	for (uint32_t i = 0; json_is(questions, JSON_ARRAY) && i < questions->count; i++)
		question_show(&c, &questions->items[i], questions->count > 1);
	block(&c, "cli.card.digest", json_text_of(ask, "digest"));
	buf_add_char(out, '\n');
	safe_line_add(out, json_text_of(ask, "url"));
	buf_add_char(out, '\n');
}
