/* generator.c - random requests and answers; see generator.h. */
#include "generator.h"

#include "random.h"

uint32_t generator_below(struct generator *d, uint32_t n)
{
	return (uint32_t)random_below(&d->state, n);
}

bool generator_often(struct generator *d)
{
	return generator_below(d, 4) > 0;
}

bool generator_seldom(struct generator *d)
{
	return generator_below(d, 4) == 0;
}

const char *generator_pick(struct generator *d, const char *const *list, size_t len)
{
	return list[generator_below(d, (uint32_t)len)];
}

struct str generator_word(struct generator *d)
{
	return arena_print(&kit, "w%llux", (unsigned long long)++d->words);
}

struct str generator_label(struct generator *d)
{
	struct str a = generator_word(d), b = generator_word(d);

	switch (generator_below(d, 6)) {
	case 0: return arena_print(&kit, "%.*s, %.*s", STR_ARGS(a), STR_ARGS(b));
	case 1: return arena_print(&kit, "%.*s é \"%.*s\"", STR_ARGS(a), STR_ARGS(b));
	case 2: return arena_print(&kit, "\"%.*s\"", STR_ARGS(a));
	case 3: return arena_print(&kit, "Other: %.*s", STR_ARGS(a));
	default: return a;
	}
}

struct str generator_text(struct generator *d)
{
	static const char *const odd[] = { "", " ", "\n", "\t", "“é”", "🙂", "\\", "\"",
		", ", "Other: x", "<b>", "\x1b[31m", "\u202e" };
	struct str a = generator_word(d), b = generator_word(d);

	return arena_print(&kit, "%.*s%s%.*s", STR_ARGS(a),
		generator_pick(d, odd, sizeof odd / sizeof *odd), STR_ARGS(b));
}

/* ---- answers ---- */

struct answering {
	struct generator *generator;
	struct json_writer *w;
	struct generator_answer *out;
};

static void keep(struct answering *a, struct str token)
{
	if (a->out->tokens_len < TOKENS_MAX) a->out->tokens[a->out->tokens_len++] = token;
}

static struct str text_for(struct answering *a, const struct question *q)
{
	struct str word = generator_word(a->generator);

	switch (q->format) {
	case FORMAT_EMAIL: return arena_print(&kit, "%.*s@host.test", STR_ARGS(word));
	case FORMAT_URI:
		return arena_print(&kit, "https://host.test/%.*s", STR_ARGS(word));
	case FORMAT_DATE:
		return arena_print(&kit, "20%02u-0%u-1%u",
			generator_below(a->generator, 90) + 10,
			generator_below(a->generator, 9) + 1,
			generator_below(a->generator, 10));
	case FORMAT_DATE_TIME:
		return arena_print(&kit, "20%02u-01-01T00:00:0%uZ",
			generator_below(a->generator, 90) + 10,
			generator_below(a->generator, 10));
	case FORMAT_NONE: break;
	}
	if (!q->has_min && !q->has_max) return generator_text(a->generator);
	size_t len = (size_t)(q->has_max ? q->max : q->min + 20);
	struct str long_word = arena_print(&kit, "%.*s%s", STR_ARGS(word),
		kit_repeat("y", q->has_min ? (size_t)q->min : 0));
	return str_first(long_word, len);
}

static void text_answer(struct answering *a, const struct question *q)
{
	struct str text = text_for(a, q);

	jw_key(a->w, "text");
	jw_str(a->w, text);
	keep(a, text);
}

static void number_answer(struct answering *a, const struct question *q)
{
	int64_t least = q->has_min ? (int64_t)q->min : 0;
	int64_t most = q->has_max ? (int64_t)q->max : least + 1000;
	int64_t n = least + generator_below(a->generator, (uint32_t)(most - least + 1));
	struct str text = arena_print(&kit, "%lld", (long long)n);

	if (!q->integer && n < most) text = arena_print(&kit, "%lld.5", (long long)n);
	jw_key(a->w, "value");
	jw_raw(a->w, text);
	keep(a, text);
}

static void choice_answer(struct answering *a, const struct question *q)
{
	size_t least = q->type == Q_CHOICES && q->has_min ? (size_t)q->min : 1;
	size_t most = q->type == Q_CHOICE ? 1
		      : q->has_max	  ? (size_t)q->max
					  : q->options_len;
	bool other = q->other && generator_seldom(a->generator) && least <= 1;
	size_t room = q->type == Q_CHOICE ? !other : most - other, taken = 0;

	jw_key(a->w, "selected");
	jw_array(a->w);
	for (size_t i = 0; i < q->options_len && taken < room; i++) {
		size_t left = q->options_len - i;
		bool must =
			left <= least - (taken + other < least ? taken + other : least);

		if (!must && generator_below(a->generator, 2)) continue;
		jw_str(a->w, q->options[i].id);
		taken++;
	}
	jw_array_end(a->w);
	if (!other) return;
	struct str text = generator_text(a->generator);
	jw_key(a->w, "other");
	jw_str(a->w, text);
	keep(a, text);
}

static void boolean_answer(struct answering *a)
{
	bool yes = generator_below(a->generator, 2);

	jw_key(a->w, "value");
	jw_bool(a->w, yes);
	a->out->refuses |= !yes;
}

static void approval_answer(struct answering *a)
{
	struct str text = generator_text(a->generator);
	bool approve = generator_below(a->generator, 2),
	     edit = approve && generator_seldom(a->generator);

	jw_key(a->w, "value");
	jw_text(a->w, approve ? "approve" : "reject");
	a->out->denies |= !approve;
	a->out->edits |= edit;
	if (edit) {
		jw_key(a->w, "arguments");
		jw_object(a->w);
		jw_key(a->w, "edited");
		jw_str(a->w, generator_word(a->generator));
		jw_object_end(a->w);
	} else if (!approve && generator_often(a->generator)) {
		jw_key(a->w, "text");
		jw_str(a->w, text);
	}
}

/* Questions beside a decision, which mean something with the right one only. */
static bool is_aside(const struct question *q)
{
	return str_is(q->key, "option") || str_is(q->key, "reject_option") ||
	       (str_starts(q->key, "response") && q->type == Q_TEXT && !q->required);
}

static void question_answer(struct answering *a, const struct question *q)
{
	struct str note = generator_text(a->generator);

	jw_object(a->w);
	switch (q->type) {
	case Q_TEXT: text_answer(a, q); break;
	case Q_NUMBER: number_answer(a, q); break;
	case Q_BOOLEAN: boolean_answer(a); break;
	case Q_CHOICE:
	case Q_CHOICES: choice_answer(a, q); break;
	case Q_APPROVAL: approval_answer(a); break;
	case QUESTION_TYPES: break;
	}
	if (q->note && q->type != Q_APPROVAL &&
		(q->note_required || generator_seldom(a->generator))) {
		jw_key(a->w, "text");
		jw_str(a->w, note);
		keep(a, note);
	}
	jw_object_end(a->w);
}

struct generator_answer generator_answer(struct generator *d, const struct draft *draft)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	struct generator_answer out = { 0 };
	struct answering a = { d, &w, &out };

	jw_object(&w);
	jw_key(&w, "answers");
	jw_object(&w);
	for (size_t i = 0; i < draft->questions_len; i++) {
		const struct question *q = &draft->questions[i];

		if (is_aside(q) || (!q->required && generator_seldom(d))) continue;
		jw_str(&w, q->key);
		buf_add_char(&b, ':');
		w.more = false;
		question_answer(&a, q);
	}
	jw_object_end(&w);
	jw_object_end(&w);
	struct str text = arena_str(&kit, buf_str(&b));
	buf_done(&b);
	assert_int_equal(json_read(text, NULL, &kit, &out.body, NULL), OK);
	return out;
}
