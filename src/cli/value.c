/* value.c - words typed in a shell as the value of an answer. */
#include "cli/value.h"

#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "text/msg.h"

static bool word_among(struct str word, const char *words)
{
	struct str rest = str_of(words), one;

	while (str_cut(&rest, ' ', &one))
		if (str_eq_nocase(word, one)) return true;
	return false;
}

/* One of the words for yes, or for no; false: neither. */
static bool either_read(struct str word, const char *yes, const char *no, bool *out)
{
	word = str_trim(word);
	*out = word_among(word, yes);
	return *out || word_among(word, no);
}

static bool value_yes_no(struct str word, bool *out)
{
	return either_read(word, "yes y true oui o 1", "no n false non 0", out);
}

static bool decision_read(struct str word, bool *out)
{
	return either_read(word, "approve approved a approuver",
		       "reject rejected r refuser rejeter", out) ||
	       value_yes_no(word, out);
}

static bool same_folded(struct str a, struct str b)
{
	struct buf left = { .max = 4096 }, right = { .max = 4096 };
	bool same;

	utf8_fold(&left, a);
	utf8_fold(&right, b);
	same = !left.failed && !right.failed && str_eq(buf_str(&left), buf_str(&right));
	buf_done(&left);
	buf_done(&right);
	return same;
}

const struct option *option_find(const struct question *q, struct str word)
{
	int64_t place;

	word = str_trim(word);
	for (size_t i = 0; i < q->options_len; i++)
		if (str_eq(word, q->options[i].id)) return &q->options[i];
	for (size_t i = 0; i < q->options_len; i++)
		if (str_eq(word, q->options[i].label)) return &q->options[i];
	for (size_t i = 0; i < q->options_len; i++)
		if (same_folded(word, q->options[i].label)) return &q->options[i];
	if (str_to_int(word, 1, (int64_t)q->options_len, &place))
		return &q->options[place - 1];
	return NULL;
}

static struct str words_join(const struct spoken *said, struct arena *arena)
{
	struct str all = said->len > 0 ? said->words[0] : STR_NONE;

	for (size_t i = 1; i < said->len; i++)
		all = arena_print(
			arena, "%.*s %.*s", STR_ARGS(all), STR_ARGS(said->words[i]));
	return all;
}

static enum err wrong(const char *id, struct str word, const struct question *q,
	struct arena *arena, struct fault *why)
{
	struct str ids = STR_NONE;

	for (size_t i = 0; i < q->options_len; i++)
		ids = i == 0 ? q->options[i].id
			     : arena_print(arena, "%.*s, %.*s", STR_ARGS(ids),
				       STR_ARGS(q->options[i].id));
	struct str text = MSG(arena, id, { "value", word }, { "options", ids });
	return fail(why, ERR_INVALID, "%.*s", STR_ARGS(text));
}

/* Options chosen, and what is left for Other. */
struct picked_options {
	const struct option *chosen[OPTIONS_MAX];
	size_t len;
	struct str other;
};

static void choice_add(struct picked_options *c, const struct option *o)
{
	for (size_t i = 0; i < c->len; i++)
		if (c->chosen[i] == o) return;
	if (c->len < OPTIONS_MAX) c->chosen[c->len++] = o;
}

/* One word of several: an option, options with commas between, or Other's text. */
static enum err choice_word(const struct question *q, struct str word,
	struct picked_options *c, struct arena *arena, struct fault *why)
{
	const struct option *o = option_find(q, word);
	struct str rest = word, piece;

	if (o) return choice_add(c, o), OK;
	if (question_many(q) && str_find(word, STR(",")) >= 0) {
		struct picked_options found = *c;
		bool all = true;

		while (all && str_cut(&rest, ',', &piece))
			if ((o = option_find(q, piece)))
				choice_add(&found, o);
			else
				all = str_trim(piece).len == 0;
		if (all) return *c = found, OK;
	}
	if (!q->other) return wrong("cli.value.option", word, q, arena, why);
	if (!str_starts(word, "other:"))
		return wrong("cli.value.option.other", word, q, arena, why);
	c->other = str_trim(str_from(word, strlen("other:")));
	return OK;
}

static enum err choice_read(const struct question *q, const struct spoken *said,
	struct picked_options *c, struct arena *arena, struct fault *why)
{
	struct str all = words_join(said, arena);
	const struct option *whole = option_find(q, all);

	c->other = said->other;
	if (whole) return choice_add(c, whole), OK;
	if (!question_many(q) && said->len > 0) return choice_word(q, all, c, arena, why);
	if (q->other && said->len > 0 && str_starts(said->words[0], "other:"))
		return choice_word(q, all, c, arena, why);
	for (size_t i = 0; i < said->len; i++) {
		enum err err = choice_word(q, said->words[i], c, arena, why);

		if (err != OK) return err;
	}
	return OK;
}

static enum err choice_write(const struct question *q, const struct spoken *said,
	struct arena *arena, struct json_writer *w, struct fault *why)
{
	struct picked_options c = { 0 };
	enum err err = choice_read(q, said, &c, arena, why);

	if (err != OK) return err;
	if (!question_many(q) && c.len + (c.other.len > 0) > 1)
		return wrong("cli.value.one", words_join(said, arena), q, arena, why);
	if (c.len == 0 && c.other.len == 0 && q->required)
		return wrong("cli.value.option", STR_NONE, q, arena, why);
	jw_put_array(w, "selected");
	for (size_t i = 0; i < c.len; i++)
		jw_str(w, c.chosen[i]->id);
	jw_array_end(w);
	if (c.other.len > 0) jw_put_str(w, "other", c.other);
	return OK;
}

static enum err number_write(const struct question *q, struct str word,
	struct arena *arena, struct json_writer *w, struct fault *why)
{
	const struct json *n;
	struct fault not_one = { 0 };

	if (json_read(str_trim(word), NULL, arena, &n, &not_one) != OK ||
		n->type != JSON_NUMBER)
		return wrong("cli.value.number", word, q, arena, why);
	jw_put_json(w, "value", n);
	return OK;
}

static enum err decision_write(const struct question *q, const struct spoken *said,
	struct arena *arena, struct json_writer *w, struct fault *why)
{
	struct str word = words_join(said, arena);
	bool yes;

	if (!question_decides(q)) {
		if (!value_yes_no(word, &yes))
			return wrong("cli.value.boolean", word, q, arena, why);
		jw_put_bool(w, "value", yes);
		return OK;
	}
	if (!decision_read(word, &yes))
		return wrong("cli.value.approval", word, q, arena, why);
	jw_put_text(w, "value", yes ? "approve" : "reject");
	if (said->arguments) jw_put_json(w, "arguments", said->arguments);
	return OK;
}

enum err value_write(const struct question *q, const struct spoken *said,
	struct arena *arena, struct json_writer *w, struct fault *why)
{
	struct str all = words_join(said, arena);
	enum err err = OK;

	jw_object(w);
	switch (question_kind(q)->input) {
	case INPUT_TEXT: jw_put_str(w, "text", all); break;
	case INPUT_NUMBER: err = number_write(q, all, arena, w, why); break;
	case INPUT_ONE:
	case INPUT_MANY: err = choice_write(q, said, arena, w, why); break;
	case INPUT_YES_NO:
	case INPUT_DECISION: err = decision_write(q, said, arena, w, why); break;
	}
	if (said->note.len > 0 && question_kind(q)->note)
		jw_put_str(w, "text", said->note);
	jw_object_end(w);
	return err;
}
