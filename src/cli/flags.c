/* flags.c - reads options and words from the command line. */
#include "cli/flags.h"

#include "text/msg.h"

enum { NAME_MAX_LEN = 48 };

struct flag_reader {
	const struct flag *const *tables;
	struct arena *arena;
	struct args *args;
	char **next, **end;
	struct fault *why;
};

size_t edit_distance(struct str a, struct str b)
{
	size_t rows[3][NAME_MAX_LEN + 1];

	if (a.len > NAME_MAX_LEN || b.len > NAME_MAX_LEN) return NAME_MAX_LEN;
	for (size_t j = 0; j <= b.len; j++)
		rows[0][j] = j;
	for (size_t i = 1; i <= a.len; i++) {
		size_t *now = rows[i % 3], *up = rows[(i - 1) % 3],
		       *up2 = rows[(i + 1) % 3];

		now[0] = i;
		for (size_t j = 1; j <= b.len; j++) {
			size_t best = up[j - 1] + (a.at[i - 1] != b.at[j - 1]);

			if (up[j] + 1 < best) best = up[j] + 1;
			if (now[j - 1] + 1 < best) best = now[j - 1] + 1;
			if (i > 1 && j > 1 && a.at[i - 1] == b.at[j - 2] &&
				a.at[i - 2] == b.at[j - 1] && up2[j - 2] + 1 < best)
				best = up2[j - 2] + 1;
			now[j] = best;
		}
	}
	return rows[a.len % 3][b.len];
}

const char *nearer(struct str written, const char *best, const char *candidate)
{
	if (!candidate) return best;
	size_t limit = best ? edit_distance(written, str_of(best)) : written.len / 3 + 2;

	return edit_distance(written, str_of(candidate)) < limit ? candidate : best;
}

bool args_name_is(struct str written, const char *name)
{
	if (written.len != strlen(name)) return false;
	for (size_t i = 0; i < written.len; i++)
		if (written.at[i] != name[i] && !(written.at[i] == '_' && name[i] == '-'))
			return false;
	return true;
}

static const struct flag *flag_find(
	const struct flag_reader *r, struct str name, char letter)
{
	for (const struct flag *const *table = r->tables; *table; table++)
		for (const struct flag *f = *table; f->name; f++)
			if (letter ? f->letter == letter : args_name_is(name, f->name))
				return f;
	return NULL;
}

static enum err flag_unknown(
	const struct flag_reader *r, struct str name, struct str written)
{
	const char *near = NULL;

	for (const struct flag *const *table = r->tables; *table; table++)
		for (const struct flag *f = *table; f->name; f++)
			near = nearer(name, near, f->name);
	struct str said =
		near ? MSG(r->arena, "cli.option.unknown.near", { "option", written },
			       { "near", arena_print(r->arena, "--%s", near) })
		     : MSG(r->arena, "cli.option.unknown", { "option", written });
	return fail(r->why, ERR_INVALID, "%.*s", STR_ARGS(said));
}

static enum err flag_wrong(
	const struct flag_reader *r, const char *id, const struct flag *f)
{
	struct str option = arena_print(r->arena, "--%s", f->name);

	return FAIL_MSG(r->why, r->arena, id, { "option", option },
		{ "value", str_of(f->value) });
}

bool args_among(const char *words, struct str word)
{
	struct str rest = str_of(words), one;

	while (str_cut(&rest, ' ', &one))
		if (str_eq(one, word)) return true;
	return false;
}

static enum err value_wrong(
	const struct flag_reader *r, const struct flag *f, struct str value)
{
	struct str rest = str_of(f->values), one, list = STR_NONE;

	while (str_cut(&rest, ' ', &one))
		list = arena_print(r->arena, "%.*s%s%.*s", STR_ARGS(list),
			list.len > 0 ? ", " : "", STR_ARGS(one));
	return FAIL_MSG(r->why, r->arena, "cli.option.values",
		{ "option", arena_print(r->arena, "--%s", f->name) }, { "value", value },
		{ "values", list });
}

/* `value` is what stood behind '=' or the letter; its `at` is NULL when nothing did. */
static enum err flag_take(struct flag_reader *r, const struct flag *f, struct str value)
{
	if (!f->value && value.at && !f->may_lack)
		return flag_wrong(r, "cli.option.no_value", f);
	/* A switch with words to choose from may be followed by one of them. */
	if (!f->value && !value.at && f->values && r->next < r->end &&
		args_among(f->values, str_of(*r->next)))
		value = str_of(*r->next++);
	if (!f->value && !value.at) {
		r->args->given[r->args->given_len++] = (struct given){ f, STR("yes") };
		return OK;
	}
	if (f->value && !value.at) {
		if (r->next == r->end) return flag_wrong(r, "cli.option.needs_value", f);
		value = str_of(*r->next++);
	}
	if (f->values && !f->setting && !args_among(f->values, value))
		return value_wrong(r, f, value);
	r->args->given[r->args->given_len++] = (struct given){ f, value };
	return OK;
}

static enum err long_take(struct flag_reader *r, struct str text)
{
	struct str rest = text, name, value = STR_NONE;
	const struct flag *f;

	str_cut(&rest, '=', &name);
	if (name.len < text.len)
		value = str_make(text.at + name.len + 1, text.len - name.len - 1);
	f = flag_find(r, name, 0);
	return f ? flag_take(r, f, value)
		 : flag_unknown(r, name, arena_print(r->arena, "--%.*s", STR_ARGS(name)));
}

static enum err letters_take(struct flag_reader *r, struct str text)
{
	while (text.len > 0) {
		const struct flag *f = flag_find(r, STR_NONE, text.at[0]);
		enum err err;

		if (!f) {
			struct str said = arena_print(r->arena, "-%.*s", STR_ARGS(text));

			return flag_unknown(r, text, said);
		}
		text = str_from(text, 1);
		err = flag_take(r, f, f->value && text.len > 0 ? text : STR_NONE);
		if (err != OK || f->value) return err;
	}
	return OK;
}

static bool looks_like_option(struct str word)
{
	return word.len > 1 && word.at[0] == '-' &&
	       !(word.at[1] >= '0' && word.at[1] <= '9') && word.at[1] != '.';
}

enum err args_read(int argc, char **argv, const struct flag *const *tables, bool stop,
	struct arena *arena, struct args *out, struct fault *why)
{
	struct args args = { 0 };
	struct flag_reader r = { tables, arena, &args, argv, argv + argc, why };
	bool words_only = false;
	size_t room = 1;

	for (int i = 0; i < argc; i++)
		room += strlen(argv[i]) + 1;
	args.given = ARENA_ARRAY(arena, struct given, room); /* a letter each, at worst */
	args.words = ARENA_ARRAY(arena, char *, (size_t)argc + 1);
	if (!args.given || !args.words) return fail(why, ERR_MEMORY, "out of memory");
	while (r.next < r.end) {
		struct str word = str_of(*r.next++);
		enum err err = OK;

		if (words_only || !looks_like_option(word)) {
			args.words[args.words_len++] = r.next[-1];
			words_only |= stop;
		} else if (str_is(word, "--")) {
			words_only = true;
		} else if (word.at[1] == '-') {
			err = long_take(&r, str_from(word, 2));
		} else {
			err = letters_take(&r, str_from(word, 1));
		}
		if (err != OK) return err;
	}
	*out = args;
	return OK;
}

bool args_have(const struct args *args, const char *name)
{
	return args_get(args, name).at != NULL;
}

struct str args_get(const struct args *args, const char *name)
{
	for (size_t i = args->given_len; i > 0; i--)
		if (strcmp(args->given[i - 1].flag->name, name) == 0)
			return args->given[i - 1].value;
	return STR_NONE;
}

bool args_next(const struct args *args, const char *name, size_t *i, struct str *value)
{
	while (*i < args->given_len) {
		const struct given *g = &args->given[(*i)++];

		if (strcmp(g->flag->name, name) == 0) {
			*value = g->value;
			return true;
		}
	}
	return false;
}

struct str args_word(const struct args *args, size_t i)
{
	return i < args->words_len ? str_of(args->words[i]) : STR_NONE;
}
