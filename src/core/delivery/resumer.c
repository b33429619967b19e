/* resumer.c - splits a command line of the operator's and fills in its placeholders. */
#include "core/delivery/resumer.h"

#include "core/shared/body.h"

#include <ctype.h>

/* Linux takes 128 KiB for one argument. */
enum { CONTEXT_MAX = 96 * 1024 };

static const struct {
	struct str name;
	size_t at;
	unsigned uses;
	bool text; /* else it may stand on standard input */
} placeholders[] = {
	{ STR("{external_id}"), offsetof(struct resumer_values, external_id),
		COMMAND_RESUMES, false },
	{ STR("{session}"), offsetof(struct resumer_values, session), COMMAND_RESUMES,
		false },
	{ STR("{context}"), offsetof(struct resumer_values, context), COMMAND_RESUMES,
		true },
	{ STR("{ask}"), offsetof(struct resumer_values, ask), COMMAND_RESUMES, false },
	{ STR("{url}"), offsetof(struct resumer_values, url),
		COMMAND_RESUMES | COMMAND_TELLS, false },
	{ STR("{title}"), offsetof(struct resumer_values, title), COMMAND_TELLS, false },
	{ STR("{text}"), offsetof(struct resumer_values, text), COMMAND_TELLS, true },
	{ STR("{purpose}"), offsetof(struct resumer_values, purpose), COMMAND_TELLS,
		false },
	{ STR("{user}"), offsetof(struct resumer_values, user), COMMAND_TELLS, false },
};

enum { PLACEHOLDERS = sizeof placeholders / sizeof *placeholders };

bool resumer_name_valid(struct str name)
{
	for (size_t i = 0; i < name.len; i++)
		if (!isalnum((unsigned char)name.at[i]) && !memchr("._-", name.at[i], 3))
			return false;
	return name.len > 0 && name.len <= RESUMER_NAME_MAX;
}

/* One word from the front of *rest; false when a quote is left open. */
static bool word_cut(struct str *rest, struct buf *word)
{
	char quote = 0;
	size_t i = 0;

	for (; i < rest->len; i++) {
		char c = rest->at[i];

		if (c == '\\' && quote != '\'') {
			if (++i == rest->len) return false;
			buf_add_char(word, rest->at[i]);
		} else if (quote ? c == quote : c == '\'' || c == '"') {
			quote = quote ? 0 : c;
		} else if (!quote && (c == ' ' || c == '\t')) {
			break;
		} else {
			buf_add_char(word, c);
		}
	}
	*rest = str_trim(str_from(*rest, i));
	return !quote;
}

/* The placeholder at the front of the text, or -1. */
static int placeholder_at(struct str text)
{
	for (int i = 0; i < PLACEHOLDERS; i++)
		if (str_eq(str_first(text, placeholders[i].name.len),
			    placeholders[i].name))
			return i;
	return -1;
}

static bool word_has(struct str word, int placeholder)
{
	return str_find(word, placeholders[placeholder].name) >= 0;
}

/* An unknown "{name}" is a typing error. */
static bool word_known(struct str word, struct str *unknown)
{
	for (size_t i = 0; i < word.len; i++) {
		size_t n = 1;

		if (word.at[i] != '{' || placeholder_at(str_from(word, i)) >= 0) continue;
		while (i + n < word.len &&
			(islower((unsigned char)word.at[i + n]) || word.at[i + n] == '_'))
			n++;
		if (n == 1 || i + n == word.len || word.at[i + n] != '}') continue;
		*unknown = str_first(str_from(word, i), n + 1);
		return false;
	}
	return true;
}

/* Does the word have a placeholder that only the other kind of command may use? */
static bool word_strange(struct str word, enum command_use use, struct str *unknown)
{
	for (int i = 0; i < PLACEHOLDERS; i++)
		if (!(placeholders[i].uses & (unsigned)use) && word_has(word, i)) {
			*unknown = placeholders[i].name;
			return true;
		}
	return false;
}

static enum err resumer_check(
	const struct resumer *r, enum command_use use, struct fault *why)
{
	struct str unknown;

	if (!r->len) return fail(why, ERR_INVALID, "it is empty");
	for (int i = 0; i < PLACEHOLDERS; i++)
		if (word_has(r->words[0], i))
			return fail(why, ERR_INVALID,
				"the program's name may hold no placeholder");
	for (size_t i = 0; i < r->len; i++)
		if (!word_known(r->words[i], &unknown) ||
			word_strange(r->words[i], use, &unknown))
			return fail(why, ERR_INVALID, "%.*s is unknown; there are %s",
				STR_ARGS(str_first(unknown, 40)),
				use == COMMAND_IS_TOOL
					? "none: the arguments are JSON on standard input"
				: use == COMMAND_RESUMES
					? "{external_id}, {session}, {context}, {ask} and {url}"
					: "{title}, {text}, {url}, {purpose} and {user}");
	return OK;
}

enum err resumer_read(struct str line, enum command_use use, struct arena *arena,
	struct resumer *out, struct fault *why)
{
	struct resumer r = { .len = 0 };
	struct str rest = str_trim(line);

	while (rest.len) {
		struct buf word = { 0 };
		bool closed = word_cut(&rest, &word);
		struct str kept = arena_str(arena, buf_str(&word));

		if (word.failed) arena->failed = true;
		buf_done(&word);
		if (!closed) return fail(why, ERR_INVALID, "a quote is left open");
		if (r.len == RESUMER_WORDS_MAX)
			return fail(why, ERR_INVALID, "more than %d words",
				RESUMER_WORDS_MAX);
		r.words[r.len++] = kept;
	}
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	enum err e = resumer_check(&r, use, why);
	if (!e) *out = r;
	return e;
}

bool resumer_wants_text(const struct resumer *r)
{
	for (size_t i = 0; i < r->len; i++)
		for (int p = 0; p < PLACEHOLDERS; p++)
			if (placeholders[p].text && word_has(r->words[i], p)) return true;
	return false;
}

static struct str value_of(const struct resumer_values *v, int placeholder)
{
	return *(const struct str *)(const void *)((const char *)v +
						   placeholders[placeholder].at);
}

/* What was settled last stands last, and counts most. */
static void value_add(struct buf *out, struct str value)
{
	if (value.len > CONTEXT_MAX) {
		buf_add(out, STR("(The beginning is left out: it is too long.)\n"));
		value = str_from(value, value.len - CONTEXT_MAX);
		while (value.len && ((unsigned char)value.at[0] & 0xc0) == 0x80)
			value = str_from(value, 1);
	}
	buf_add(out, value);
}

static void word_fill(struct buf *out, struct str word, const struct resumer_values *v)
{
	while (word.len) {
		int p = placeholder_at(word);

		if (p >= 0)
			value_add(out, value_of(v, p));
		else
			buf_add_char(out, word.at[0]);
		word = str_from(word, p >= 0 ? placeholders[p].name.len : 1);
	}
}

enum err resumer_fill(const struct resumer *r, const struct resumer_values *v,
	struct arena *arena, char ***argv, struct fault *why)
{
	char **words = ARENA_ARRAY(arena, char *, r->len + 1);

	for (size_t i = 0; words && i < r->len; i++) {
		struct buf word = { 0 };

		word_fill(&word, r->words[i], v);
		if (word.failed) arena->failed = true;
		words[i] = arena_copy(arena, buf_str(&word));
		buf_done(&word);
		if (words[i] && words[i][0] == '-' && r->words[i].at[0] == '{')
			return fail(why, ERR_INVALID,
				"'%.60s' would be taken for an option", words[i]);
	}
	if (arena->failed) return fail(why, ERR_MEMORY, "out of memory");
	*argv = words;
	return OK;
}
