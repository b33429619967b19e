/* problem_words.c - finds the English sentence of a problem in the catalogue and fills the
 * same one of another language with its values. */
#include "text/problem_words.h"
#include "base/keep.h"

#include <stdio.h>

enum { ARGS_MAX = 4, WORDS_MAX = 16384 };

enum lang problem_lang(struct str accept_language)
{
	struct str one;

	while (str_cut(&accept_language, ',', &one)) {
		one = str_trim(one);
		if (str_is_nocase(str_first(one, 2), "fr")) return LANG_FR;
		if (str_is_nocase(str_first(one, 2), "en")) return LANG_EN;
	}
	return LANG_EN;
}

/* Where the sentence has what fills each {name} of the pattern. */
struct match {
	struct str name[ARGS_MAX], value[ARGS_MAX];
	size_t len;
};

/* The length of a last value, with `after` behind it up to the end; -1: it does not fit. */
static int value_last(struct str sentence, struct str after)
{
	if (after.len && !str_ends(sentence, after.at)) return -1;
	return (int)(sentence.len - after.len);
}

/* A value is the shortest that lets what follows it fit; the last one goes to the end. */
static bool sentence_fits(struct str pattern, struct str sentence, struct match *out)
{
	*out = (struct match){ 0 };
	for (;;) {
		int open = str_find(pattern, STR("{"));
		struct str before = open < 0 ? pattern : str_first(pattern, (size_t)open);

		if (open < 0) return str_eq(before, sentence);
		if (sentence.len < before.len ||
			!str_eq(str_first(sentence, before.len), before))
			return false;
		sentence = str_from(sentence, before.len);
		pattern = str_from(pattern, (size_t)open + 1);

		int shut = str_find(pattern, STR("}"));
		if (shut < 0 || out->len == ARGS_MAX) return false;
		out->name[out->len] = str_first(pattern, (size_t)shut);
		pattern = str_from(pattern, (size_t)shut + 1);

		int next = str_find(pattern, STR("{"));
		struct str after = next < 0 ? pattern : str_first(pattern, (size_t)next);
		int end = next < 0    ? value_last(sentence, after)
			  : after.len ? str_find(sentence, after)
				      : (int)sentence.len;
		if (end < 1) return false;
		out->value[out->len++] = str_first(sentence, (size_t)end);
		sentence = str_from(sentence, (size_t)end);
	}
}

/* "2 d", whose number and unit stay together. */
static struct str span_words(struct str span, enum lang lang, struct arena *arena)
{
	struct str number = STR_NONE, unit = span;

	str_cut(&unit, ' ', &number);
	return sentence_words("web.span.short.",
		arena_print(arena, "%.*s\u00a0%.*s", STR_ARGS(number), STR_ARGS(unit)),
		lang, arena);
}

/* The word that the catalogue has for a role or a state; else the value itself. */
static struct str value_words(
	struct str name, struct str value, enum lang lang, struct arena *arena)
{
	const char *group = str_is(name, "role") || str_is(name, "what") ? "web.role"
			    : str_is(name, "status")			 ? "status"
									 : NULL;
	const char *text = NULL;

	/* A reason is a sentence of its own. */
	if (str_is(name, "why")) return problem_words(value, lang, arena);
	if (str_is(name, "p50") || str_is(name, "p90"))
		return span_words(value, lang, arena);
	if (group)
		text = msg_text_in(
			arena_print(arena, "%s.%.*s", group, STR_ARGS(value)).at, lang);
	return text ? str_of(text) : value;
}

static struct str match_fill(
	const struct match *m, struct str text, enum lang lang, struct arena *arena)
{
	struct buf out = { .max = WORDS_MAX };

	while (text.len) {
		int open = str_find(text, STR("{"));
		int shut = open < 0 ? -1 : str_find(text, STR("}"));

		buf_add(&out, open < 0 ? text : str_first(text, (size_t)open));
		if (open < 0 || shut < open) break;
		struct str name = str_make(text.at + open + 1, (size_t)(shut - open) - 1);
		for (size_t i = 0; i < m->len; i++)
			if (str_eq(m->name[i], name))
				buf_add(&out,
					value_words(name, m->value[i], lang, arena));
		text = str_from(text, (size_t)shut + 1);
	}
	return buf_keep_done(&out, arena);
}

struct str sentence_words(
	const char *prefix, struct str english, enum lang lang, struct arena *arena)
{
	if (lang == LANG_EN) return english;
	for (size_t i = 0; i < messages_len; i++) {
		const struct message *one = &messages[i];
		struct match m;

		if (!str_starts(str_of(one->id), prefix)) continue;
		if (!sentence_fits(str_of(one->text[LANG_EN]), english, &m)) continue;
		struct str found = match_fill(&m, str_of(one->text[lang]), lang, arena);
		return found.at ? found : english;
	}
	return english;
}

struct str problem_words(struct str english, enum lang lang, struct arena *arena)
{
	return sentence_words("problem.", english, lang, arena);
}

static void words_put(char *out, size_t size, enum lang lang, struct arena *arena)
{
	struct str words = problem_words(str_of(out), lang, arena);

	if (words.at != out && words.len < size)
		snprintf(out, size, "%.*s", STR_ARGS(words));
}

void problem_translate(struct fault *why, enum lang lang)
{
	struct arena arena = { 0 };

	words_put(why->detail, sizeof why->detail, lang, &arena);
	for (int i = 0; i < why->items_len; i++)
		words_put(
			why->items[i].detail, sizeof why->items[i].detail, lang, &arena);
	arena_done(&arena);
}
