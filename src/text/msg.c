/* msg.c - looks up and fills in texts of the catalogue. */
#include "text/msg.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/keep.h"
#include "text/safe_text.h"

enum { TEXT_MAX = 1 << 20 };

static enum lang lang_now = LANG_EN;

void msg_lang_set(enum lang lang)
{
	lang_now = lang;
}

enum lang msg_lang(void)
{
	return lang_now;
}

enum lang msg_lang_guess(void)
{
	static const char *const names[] = { "LC_ALL", "LC_MESSAGES", "LANG" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return str_starts(str_of(value), "fr") ? LANG_FR : LANG_EN;
	}
	return LANG_EN;
}

static int by_id(const void *key, const void *row)
{
	return strcmp(key, ((const struct message *)row)->id);
}

const char *msg_text_in(const char *id, enum lang lang)
{
	/* An id that was put together without memory is NULL: no text. */
	const struct message *m =
		id ? bsearch(id, messages, messages_len, sizeof *messages, by_id) : NULL;

	return m ? m->text[lang] : NULL;
}

const char *msg_text(const char *id)
{
	return msg_text_in(id, lang_now);
}

static const struct msg_arg *arg_find(const struct msg_arg *args, struct str name)
{
	for (; args->name; args++)
		if (str_is(name, args->name)) return args;
	return NULL;
}

static void text_fill(struct buf *out, struct str rest, const struct msg_arg *args)
{
	while (rest.len > 0) {
		int open = str_find(rest, STR("{"));
		int shut =
			open < 0 ? -1 : str_find(str_from(rest, (size_t)open), STR("}"));
		const struct msg_arg *arg = NULL;

		if (shut > 0)
			arg = arg_find(
				args, str_make(rest.at + open + 1, (size_t)shut - 1));
		if (!arg) {
			size_t plain = open < 0 ? rest.len : (size_t)open + 1;

			buf_add(out, str_first(rest, plain));
			rest = str_from(rest, plain);
			continue;
		}
		buf_add(out, str_first(rest, (size_t)open));
		safe_line_add(out, arg->value);
		rest = str_from(rest, (size_t)open + (size_t)shut + 1);
	}
}

struct str msg_fill(struct arena *arena, const char *id, const struct msg_arg *args)
{
	return msg_fill_in(arena, lang_now, id, args);
}

struct str msg_fill_in(
	struct arena *arena, enum lang lang, const char *id, const struct msg_arg *args)
{
	const char *text = msg_text_in(id, lang);
	struct buf out = { .max = TEXT_MAX };

	text_fill(&out, str_of(text ? text : id), args);
	struct str result = buf_keep_done(&out, arena);
	return result.at ? result : STR("");
}

struct str msg_count(struct arena *arena, const char *id, int64_t n)
{
	return msg_count_in(arena, lang_now, id, n);
}

struct str msg_count_in(struct arena *arena, enum lang lang, const char *id, int64_t n)
{
	bool one = lang == LANG_FR ? n == 0 || n == 1 : n == 1;
	struct str form = arena_print(arena, "%s.%s", id, one ? "one" : "other");

	return MSG_IN(arena, lang, form.at ? form.at : id,
		{ "n", arena_print(arena, "%lld", (long long)n) });
}

struct str msg_named(struct arena *arena, const char *id, struct str name)
{
	struct str whole = arena_print(arena, "%s.%.*s", id, STR_ARGS(name));

	return MSG(arena, whole.at ? whole.at : id);
}

void say_fill(const char *id, const struct msg_arg *args)
{
	struct arena arena = { 0 };
	struct str text = msg_fill(&arena, id, args);

	fprintf(stderr, "%.*s\n", STR_ARGS(text));
	arena_done(&arena);
}
