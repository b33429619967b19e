/* command_line.c - takes a line for a shell apart: where commands may be, and what makes it
 * unclear what it does. Where the text leaves a choice, both are taken. */
#include "core/policy/command_line.h"

#include "core/policy/shell_command.h"
#include "core/policy/shell_text.h"

enum { DEPTH_MAX = 32, BUDGET = 1 << 20, BUDGET_PER_BYTE = 16 };

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

static bool has_one_of(struct str s, const char *set)
{
	for (size_t i = 0; i < s.len; i++)
		if (is_one_of(s.at[i], set)) return true;
	return false;
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
	size_t depth;  /* of lines within lines */
	size_t budget; /* bytes that may still be read */
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
	struct command_text *list;

	if (out->commands_len) {
		const struct command_text *last = &out->commands[out->commands_len - 1];

		if (text.len == 0) return;
		if (last->runs_words == runs_words && str_eq(last->text, text)) return;
	}
	list = list_room(l->arena, out->commands, out->commands_len, &l->commands_room,
		sizeof *list);
	if (!list) return;
	out->commands = list;
	list[out->commands_len++] = (struct command_text){ text, runs_words };
}

/* ---- readings of one command ---- */

/* Programs that run a command which they are given. */
static const struct str running[] = { STR("."), STR("ash"), STR("bash"), STR("builtin"),
	STR("busybox"), STR("chroot"), STR("chrt"), STR("command"), STR("dash"),
	STR("doas"), STR("env"), STR("eval"), STR("exec"), STR("fakeroot"), STR("find"),
	STR("fish"), STR("flock"), STR("ionice"), STR("ksh"), STR("nice"), STR("nohup"),
	STR("nsenter"), STR("parallel"), STR("pkexec"), STR("proot"), STR("runuser"),
	STR("script"), STR("setarch"), STR("setpriv"), STR("setsid"), STR("sh"),
	STR("source"), STR("ssh"), STR("stdbuf"), STR("strace"), STR("su"), STR("sudo"),
	STR("systemd-run"), STR("taskset"), STR("time"), STR("timeout"), STR("toybox"),
	STR("trap"), STR("unbuffer"), STR("unshare"), STR("watch"), STR("xargs"),
	STR("zsh") };

static bool runs_words(struct str file)
{
	for (size_t i = 0; i < sizeof running / sizeof *running; i++)
		if (file.len && file.at[0] == running[i].at[0] &&
			str_eq(file, running[i]))
			return true;
	return false;
}

static struct str file_name(struct str path)
{
	size_t start = path.len;

	while (start > 0 && path.at[start - 1] != '/')
		start--;
	return str_from(path, start);
}

/* The text, and from each word on that may name the program: with its path and without.
 * `unsure`: its quotes are gone, so behind an assignment or a redirection any word may be
 * that one. Whether it runs a command that it is given. */
static bool readings_add(
	struct lists *l, const struct shell_command *c, struct str text, bool unsure)
{
	bool any = false;

	command_add(l, text, false);
	for (size_t i = 0; i < c->starts_len; i++) {
		const struct shell_start *start = &c->starts[i];
		struct str rest = str_from(text, start->at);
		struct str word = str_first(rest, start->len), file = file_name(word);
		bool runs = runs_words(file);

		command_add(l, rest, runs || (unsure && start->shifted));
		if (file.len < word.len)
			command_add(l, str_from(rest, word.len - file.len), false);
		/* {rm,-r,x} */
		if (has_one_of(word, ","))
			command_add(l, shell_braces(rest, l->arena), runs);
		any |= runs;
	}
	return any;
}

/* The same command in another form; STR_NONE: no memory. */
static struct str form_read(
	struct lists *l, struct str s, enum shell_form form, struct shell_command *c)
{
	char *out = arena_alloc(l->arena, s.len + 1);

	if (!out) return STR_NONE;
	shell_command_read(s, form, out, c);
	return str_make(out, c->len);
}

static void lines_read(struct lists *, struct str line);

/* One command from the beginning of the text. How much of it that is. */
static size_t command_read(struct lists *l, struct str s, bool unsure)
{
	struct shell_command c;
	struct str text;
	bool changed, runs;

	shell_command_read(s, SHELL_WITH_REDIRECTIONS, NULL, &c);
	l->out->too_deep |= c.too_deep;
	changed = c.changed;
	s = str_first(s, c.end);
	text = str_trim(s);
	command_add(l, text, false);
	if (changed) text = form_read(l, s, SHELL_WITH_REDIRECTIONS, &c);
	runs = readings_add(l, &c, text, unsure);
	if (c.redirected) {
		text = form_read(l, s, SHELL_REDIRECTED_WORDS, &c);
		readings_add(l, &c, text, unsure);
		text = form_read(l, s, SHELL_WITHOUT_REDIRECTIONS, &c);
		runs |= readings_add(l, &c, text, unsure);
	}
	if (has_one_of(s, "$`")) { /* r$()m */
		text = form_read(l, s, SHELL_WITHOUT_SUBSTITUTIONS, &c);
		runs |= readings_add(l, &c, text, unsure);
	}
	/* sh -c 'a; b' */
	if (runs && changed) {
		text = form_read(l, s, SHELL_WITH_BLANKS, &c);
		if (text.len < str_trim(s).len) lines_read(l, text);
	}
	return s.len;
}

/* ---- where commands may begin ---- */

/* How far it is to the next place behind which one may begin. A { is one where a word ends
 * with it, which those of JSON and of ${x} do not. */
static size_t piece_len(struct str s)
{
	size_t i = 0;

	for (; i < s.len; i++) {
		char c = s.at[i];

		if (separates(c) || c == '(' || c == ')' || c == '`') break;
		if (c == '{' &&
			(i + 1 == s.len || is_one_of(s.at[i + 1], " \t\n;&|<>()")))
			break;
	}
	return i;
}

/* What stands here: as bash reads it, and up to the next separator, whatever quotes say,
 * for here it may be inside of others. */
static void place_read(struct lists *l, struct str s)
{
	size_t cut = piece_len(s), end = command_read(l, s, false);
	const char *tick = memchr(s.at, '`', end);
	struct str piece = str_trim(str_first(s, cut)), plain;

	l->budget -= end < l->budget ? end : l->budget;
	if (tick) command_read(l, str_first(s, (size_t)(tick - s.at)), false);
	plain = shell_plain(piece, l->arena);
	if (cut == end && str_eq(plain, piece)) return;
	command_add(l, piece, false);
	command_add(l, plain, false);
	if (plain.len) command_read(l, plain, !str_eq(plain, piece));
}

/* At the beginning, and behind everything that may stand between or around commands, also
 * in quotes: so that nothing before it, however odd, hides a command. */
static void places_read(struct lists *l, struct str line)
{
	size_t start = 0;

	for (; start < line.len && !l->out->too_deep; start++) {
		while (start < line.len &&
			(line.at[start] == ' ' || line.at[start] == '\t'))
			start++;
		if (start < line.len) place_read(l, str_from(line, start));
		start += piece_len(str_from(line, start));
		if (l->budget == 0 || l->arena->failed) l->out->too_deep = true;
	}
}

/* What looks like a comment may be one, and then no backslash joins it with the next line. */
static void lines_read(struct lists *l, struct str line)
{
	struct str joined = shell_joined(line, false, l->arena);
	struct str others = shell_joined(line, true, l->arena);

	if (l->depth == DEPTH_MAX) l->out->too_deep = true;
	l->depth++;
	places_read(l, joined);
	if (others.len > joined.len) places_read(l, others);
	l->depth--;
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
	size_t len = 0;
	bool unclear = false;

	for (; len < part.len && !shell_is_blank(part.at[len]); len++)
		unclear |= is_one_of(part.at[len], "*?[");
	part = str_first(part, len);
	return unclear && !str_is(part, "[") && !str_is(part, "[[");
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
	struct str plain;

	*out = (struct command_line){ 0 };
	line = str_trim(line);
	parts_read(&l, line);
	command_add(&l, line, false);
	if (arena->failed) return false;
	plain = shell_plain(line, arena);
	command_add(&l, plain, false);
	out->unclear = unclear_of(out, line, plain);
	l.budget = BUDGET + BUDGET_PER_BYTE * line.len;
	lines_read(&l, line);
	return !arena->failed;
}

void command_line_join(
	struct command_line *line, const struct command_line *other, struct arena *arena)
{
	struct lists l = { .out = line, .arena = arena, .parts_room = line->parts_len };

	for (size_t i = 0; i < other->parts_len; i++)
		part_add(&l, other->parts[i]);
}
