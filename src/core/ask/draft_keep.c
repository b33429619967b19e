/* draft_keep.c - what is stored of a draft: its constant members as JSON, its search
 * text, the title of its session. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/ask/draft.h"
#include "core/shared/show.h"

enum { SEARCH_MAX = 1000, FIXED_USUAL = 2000 };

/* Some clients send a trace; its first line says enough to ask about. */
static struct str first_line(struct str text)
{
	struct str rest = str_trim(text), line = STR_NONE;

	str_cut(&rest, '\n', &line);
	return str_trim(line);
}

void draft_decision_question(
	const struct draft *d, struct arena *arena, struct question *out)
{
	struct str name = json_text(json_get(d->operation, "name"));

	*out = (struct question){
		.key = STR("decision"),
		.type = Q_APPROVAL,
		.required = true,
		.text = d->title,
	};
	if (text_blank(out->text) && name.len)
		out->text = arena_print(arena, "Approve %.*s?", STR_ARGS(name));
	if (text_blank(out->text)) out->text = STR("Approve?");
}

static const struct option recovery_options[] = {
	{ STR("retry"), STR("Retry") },
	{ STR("edit"), STR("Edit and retry") },
	{ STR("skip"), STR("Skip") },
	{ STR("abort"), STR("Abort") },
};

/* With a note: "edit" means little to an agent that is not told what. */
void draft_recovery_question(const struct draft *d, const struct json *context,
	struct arena *arena, struct question *out)
{
	struct str error = first_line(json_text(json_get(context, "error_details")));
	size_t size = sizeof recovery_options;

	*out = (struct question){
		.key = STR("recovery"),
		.type = Q_CHOICE,
		.required = true,
		.note = true,
		.text = d->title,
		.options = arena_alloc(arena, size),
	};
	if (text_blank(out->text)) out->text = utf8_first(error, QUESTION_TEXT_MAX);
	if (text_blank(out->text)) out->text = STR("How shall I go on?");
	if (!out->options) return;
	memcpy(out->options, recovery_options, size);
	out->options_len = size / sizeof *recovery_options;
}

static void fixed_write(
	struct json_writer *w, const struct draft *d, const struct keepsake *k)
{
	show_text(w, "title", d->title);
	jw_key(w, "context");
	context_write(w, k->context);
	jw_put_array(w, "questions");
	for (size_t i = 0; i < d->questions_len; i++)
		question_write(w, &d->questions[i]);
	jw_array_end(w);
	jw_key(w, "operation");
	if (d->operation)
		operation_write(w, d->operation, d->schema);
	else
		jw_null(w);
	show_json(w, "default", k->fallback);
	jw_put_raw(w, "metadata", k->metadata);
	if (d->sensitive) jw_put_bool(w, "sensitive", true);
}

static void search_add(struct buf *out, struct str text)
{
	if (!text.len || out->len >= SEARCH_MAX) return;
	if (out->len) buf_add_char(out, '\n');
	/* A code point folds to a byte at least: these fill it. */
	utf8_fold(out, utf8_first(text, SEARCH_MAX));
}

static void search_write(struct buf *out, const struct draft *d)
{
	search_add(out, d->title);
	for (size_t i = 0; i < d->questions_len; i++) {
		search_add(out, d->questions[i].text);
		search_add(out, d->questions[i].header);
	}
	search_add(out, json_text(json_get(d->operation, "name")));
	out->len = utf8_fit(buf_str(out), SEARCH_MAX).len;
}

void draft_keep(struct draft *d, const struct keepsake *k, struct arena *arena)
{
	struct buf out = { 0 };
	struct json_writer w = { .out = &out };
	struct str text = d->questions_len ? d->questions[0].text : STR_NONE;

	buf_reserve(&out, FIXED_USUAL);
	fixed_write(&w, d, k);
	d->fixed = buf_keep(&out, arena);
	out.len = 0;
	search_write(&out, d);
	d->search = buf_keep_done(&out, arena);
	d->session_title = text_blank(d->title)
				   ? utf8_first(first_line(text), ASK_TITLE_MAX)
				   : d->title;
}
