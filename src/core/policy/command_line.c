/* command_line.c - takes a line for a shell apart: where commands may be, and what makes it
 * unclear what it does. No shell grammar: where the text leaves a choice, both are taken. */
#include "core/policy/command_line.h"

enum { DEPTH_MAX = 32 };

static const char *const doubt_names[] = {
	[DOUBT_SUBSTITUTION] = "a substitution",
	[DOUBT_REDIRECTION] = "a redirection",
	[DOUBT_PARENT] = "a parent folder (..)",
	[DOUBT_RELATIVE] = "a relative path",
	[DOUBT_HOME] = "a home folder (~)",
	[DOUBT_CONTROL] = "a control character",
	[DOUBT_COMMANDS] = "several commands",
	[DOUBT_DEPTH] = "nested too deeply",
	[DOUBT_ABSENT] = "what it looks at is missing",
	[DOUBT_TYPE] = "a value of another type",
	[DOUBT_ADDRESS] = "an ambiguous address",
	[DOUBT_MEMORY] = "out of memory",
};

const char *doubt_name(enum doubt d)
{
	return doubt_names[d];
}

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

/* What stands between two commands. */
static bool separates(char c)
{
	return c == ';' || c == '&' || c == '|' || c == '\n' || c == '\r';
}

/* What may begin or end one. */
static bool groups(char c)
{
	return c == '(' || c == ')' || c == '{' || c == '}' || c == '`';
}

/* ---- growing lists in the arena ---- */

struct lists {
	struct command_line *out;
	struct arena *arena;
	size_t parts_room, commands_room;
};

static void *list_room(
	struct arena *arena, void *list, size_t len, size_t *room, size_t size)
{
	if (len < *room) return list;
	size_t more = *room ? *room * 2 : 8;
	void *grown = arena_array(arena, more, size);

	if (!grown) return NULL;
	if (len) memcpy(grown, list, len * size);
	*room = more;
	return grown;
}

static void part_add(struct lists *l, struct str text)
{
	struct command_line *out = l->out;
	struct str *parts = list_room(
		l->arena, out->parts, out->parts_len, &l->parts_room, sizeof *parts);

	if (!parts) return;
	out->parts = parts;
	parts[out->parts_len++] = text;
}

static void command_add(struct lists *l, struct str text, bool runs_words)
{
	struct command_line *out = l->out;
	struct command_text *list = list_room(l->arena, out->commands, out->commands_len,
		&l->commands_room, sizeof *list);

	if (!list) return;
	out->commands = list;
	list[out->commands_len++] = (struct command_text){ text, runs_words };
}

/* ---- readings of one command ---- */

/* The same text without its leading assignments and words like `then`, and, when its first
 * word is a path, with the file's name alone. */
static void words_add(struct lists *l, struct str text)
{
	bool assigned;
	struct str rest = shell_skip_words(text, &assigned);
	struct str first = shell_first_word(rest);
	struct str file = shell_file_name(first);
	/* Of X="a b" rm y only the quotes, which are gone, say where the command begins. */
	bool runs = assigned || shell_runs_words(rest);

	if (rest.len == 0) return;
	if (rest.len < text.len || runs) command_add(l, rest, runs);
	if (file.len < first.len)
		command_add(l, str_from(rest, first.len - file.len), false);
}

static void readings_add(struct lists *l, struct str text)
{
	struct str plain, variant;

	text = str_trim(text);
	if (text.len == 0) return;
	if (!str_eq(text, l->out->commands[0].text)) command_add(l, text, false);
	plain = shell_plain(text, l->arena);
	if (plain.len == 0) return;
	if (!str_eq(plain, text)) command_add(l, plain, false);
	words_add(l, plain);
	/* rm>x -r y */
	variant = shell_without(plain, "<>", l->arena);
	if (variant.len) {
		command_add(l, variant, is_one_of(plain.at[0], "<>0123456789&"));
		words_add(l, variant);
	}
	/* {rm,-r,x} */
	if (memchr(plain.at, ',', shell_first_word(plain).len)) {
		variant = shell_without(plain, "{,}", l->arena);
		if (variant.len) command_add(l, variant, false), words_add(l, variant);
	}
}

/* ---- where commands begin and end ---- */

/* At every separator, also within quotes and brackets. */
static void cut_everywhere(struct lists *l, struct str line)
{
	size_t start = 0;

	for (size_t i = 0; i <= line.len; i++) {
		if (i < line.len && !separates(line.at[i]) && !groups(line.at[i]))
			continue;
		readings_add(l, str_make(line.at + start, i - start));
		start = i + 1;
	}
}

struct level {
	size_t start;
	char close; /* what ends it; 0: the line's end */
	bool quoted;
};

struct nest {
	struct lists *lists;
	struct str line;
	struct level levels[DEPTH_MAX];
	size_t depth;
};

static void command_end(struct nest *n, size_t at)
{
	struct level *level = &n->levels[n->depth];

	readings_add(n->lists, str_make(n->line.at + level->start, at - level->start));
	level->start = at + 1;
}

static void level_open(struct nest *n, size_t at, char close)
{
	if (n->depth + 1 == DEPTH_MAX) {
		n->lists->out->too_deep = true;
		return;
	}
	n->levels[++n->depth] = (struct level){ .start = at + 1, .close = close };
}

/* Closes a bracket; the command around it continues. */
static void level_close(struct nest *n, size_t at)
{
	command_end(n, at);
	n->depth--;
}

/* The index of the last byte that belongs to what begins at `at`. */
static size_t nest_step(struct nest *n, size_t at)
{
	struct level *level = &n->levels[n->depth];
	struct str line = n->line;
	char c = line.at[at];
	const char *end;

	if (c == '\\') return at + 1;
	if (c == '\'' && !level->quoted) {
		end = memchr(line.at + at + 1, '\'', line.len - at - 1);
		return end ? (size_t)(end - line.at) : at;
	}
	if (c == '"')
		level->quoted = !level->quoted;
	else if (c == '`' && level->close == '`')
		level_close(n, at);
	else if (c == '`')
		level_open(n, at, '`');
	else if (c == '(' && (!level->quoted || (at > 0 && line.at[at - 1] == '$')))
		level_open(n, at, ')');
	else if (c == ')' && level->close == ')' && !level->quoted)
		level_close(n, at);
	else if (!level->quoted && (separates(c) || c == ')'))
		command_end(n, at);
	return at;
}

/* As a shell does it: quotes and brackets minded. */
static void cut_nested(struct lists *l, struct str line)
{
	struct nest n = { .lists = l, .line = line };

	for (size_t i = 0; i < line.len && !l->arena->failed; i++)
		i = nest_step(&n, i);
	for (n.depth++; n.depth-- > 0;)
		command_end(&n, line.len);
}

/* ---- what keeps an allow from fitting ---- */

/* `wild`: of a pattern, in which `*` and `?` may stand for letters. */
static bool in_word(struct str s, size_t i, bool wild)
{
	if (i >= s.len) return false;
	unsigned char c = (unsigned char)s.at[i];

	return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') ||
	       (c >= 'a' && c <= 'z') || c == '_' || c >= 0x80 ||
	       (wild && (c == '*' || c == '?'));
}

/* `main..dev` and `./...` are no way up; `.?` and `.*` may be one. */
static bool leads_up(struct str s, bool wild)
{
	for (size_t i = 0; i < s.len; i++) {
		size_t run = i;

		if (s.at[i] != '.') continue;
		while (run < s.len && s.at[run] == '.')
			run++;
		bool before = i > 0 && in_word(s, i - 1, wild);

		if (run - i == 2 && !(before && in_word(s, run, wild))) return true;
		if (run - i == 1 && !before && !wild && run < s.len &&
			is_one_of(s.at[run], "*?["))
			return true;
		i = run - 1;
	}
	return false;
}

/* `HEAD~2` is no home. */
static bool leads_home(struct str s, bool wild)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] == '~' && (i == 0 || !in_word(s, i - 1, wild))) return true;
	return false;
}

/* The name of the command is itself a pattern: `/bin/r? x`. */
static bool names_unclearly(struct str part)
{
	struct str word = shell_first_word(part);

	if (str_is(word, "[") || str_is(word, "[[")) return false;
	for (size_t i = 0; i < word.len; i++)
		if (is_one_of(word.at[i], "*?[")) return true;
	return false;
}

static enum doubt bytes_doubt(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		unsigned char c = (unsigned char)s.at[i];

		if (c == '$' || groups((char)c)) return DOUBT_SUBSTITUTION;
		if (c == '<' || c == '>') return DOUBT_REDIRECTION;
		if ((c < ' ' && c != '\t' && !separates((char)c)) || c == 0x7f)
			return DOUBT_CONTROL;
	}
	return DOUBT_NONE;
}

enum doubt command_pattern_doubt(struct str glob)
{
	enum doubt bytes = bytes_doubt(glob);

	if (bytes) return bytes;
	for (size_t i = 0; i < glob.len; i++)
		if (separates(glob.at[i])) return DOUBT_COMMANDS;
	return leads_up(glob, true)	? DOUBT_PARENT
	       : leads_home(glob, true) ? DOUBT_HOME
					: DOUBT_NONE;
}

static enum doubt unclear_of(
	const struct command_line *out, struct str line, struct str plain)
{
	enum doubt bytes = bytes_doubt(line);

	if (bytes) return bytes;
	if (out->parts_len == 0) return DOUBT_ABSENT;
	for (size_t i = 0; i < out->parts_len; i++)
		if (names_unclearly(out->parts[i])) return DOUBT_SUBSTITUTION;
	if (leads_up(line, false) || leads_up(plain, false)) return DOUBT_PARENT;
	if (leads_home(line, false) || leads_home(plain, false)) return DOUBT_HOME;
	return DOUBT_NONE;
}

static void parts_read(struct lists *l, struct str line)
{
	size_t start = 0;

	for (size_t i = 0; i <= line.len; i++) {
		if (i < line.len && !separates(line.at[i])) continue;
		struct str part = str_trim(str_make(line.at + start, i - start));

		if (part.len) part_add(l, part);
		start = i + 1;
	}
}

bool command_line_read(struct str line, struct arena *arena, struct command_line *out)
{
	struct lists l = { .out = out, .arena = arena };
	struct str joined, plain;

	*out = (struct command_line){ 0 };
	line = str_trim(line);
	parts_read(&l, line);
	command_add(&l, line, false);
	if (arena->failed) return false;
	joined = shell_join_lines(line, arena);
	plain = shell_plain(joined, arena);
	if (plain.len && !str_eq(plain, line)) command_add(&l, plain, false);
	out->unclear = unclear_of(out, line, plain);
	cut_everywhere(&l, joined);
	if (shell_has_groups(joined)) cut_nested(&l, joined);
	return !arena->failed;
}
