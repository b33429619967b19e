/* table_text.c - fills the templates of --help, completions and manual pages from the tables of
 * verbs, flags and settings.
 *
 * @VALUE@ is a value, or the message of that name; @FILTER VALUE@ the same as the place wants it;
 * @each LIST@…@end@ is repeated for each, @if VALUE@…@end@ is there only when it is not empty,
 * @row COLUMN@…@tab@…@end@ is two columns. */
#include "cli/candidates.h"
#include "cli/help.h"
#include "cli/templates/templates.h"
#include "text/safe_text.h"

struct table_text {
	struct cli *cli;
	struct buf *out;
	const struct command *page, *command; /* whose page it is; the one of a list */
	const struct flag *flag;
	bool own; /* the flag is the verb's, no setting */
	struct str exit, exits;
	unsigned group;
	struct setting_info setting;
	size_t at, place; /* in the table that is gone through; how many there were */
};

/* ---- lists: the next of a table, and whether it belongs to the list ---- */

static struct str first_word(const struct command *c)
{
	struct str rest = str_of(c->name), first = rest;

	str_cut(&rest, ' ', &first);
	return first;
}

/* Is it the first that begins so? */
static bool verb_is_new(const struct table_text *t)
{
	const struct command *before;

	for (size_t i = 0; (before = command_at(t->cli, i)) != t->command; i++)
		if (str_eq(first_word(before), first_word(t->command))) return false;
	return true;
}

/* The commands that begin with the same word, "rule list" of "rule add", by name. */
static bool sibling_next(struct table_text *t)
{
	const char *last = t->place ? t->command->name : "";
	const struct command *next = NULL, *c;

	for (size_t i = 0; (c = command_at(t->cli, i)); i++)
		if (c != t->page && strchr(c->name, ' ') && strchr(t->page->name, ' ') &&
			str_eq(first_word(c), first_word(t->page)) &&
			strcmp(c->name, last) > 0 &&
			(!next || strcmp(c->name, next->name) < 0))
			next = c;
	if (next) t->command = next;
	return next;
}

static bool exit_next(struct table_text *t)
{
	if (!t->place)
		t->exits = str_of(t->page ? t->page->exits : "0 1 2 3 4 5 6 124 130");
	return str_cut(&t->exits, ' ', &t->exit);
}

static const struct text_list {
	const char *name;
	enum { VERBS, EVERYDAY, SIBLINGS, FLAGS, GROUPS, EXITS, SETTINGS_ROWS } of;
} lists[] = { { "verbs", VERBS }, { "everyday", EVERYDAY }, { "firsts", VERBS },
	{ "seconds", VERBS }, { "members", VERBS }, { "siblings", SIBLINGS },
	{ "flags", FLAGS }, { "options", FLAGS }, { "choices", FLAGS }, { "owns", FLAGS },
	{ "sets", FLAGS }, { "groups", GROUPS }, { "exits", EXITS },
	{ "settings", SETTINGS_ROWS } };

/* The next of the list's table; false at the end. */
static bool row_next(const struct text_list *list, struct table_text *t)
{
	size_t i = t->at++;

	switch (list->of) {
	case VERBS: return (t->command = command_at(t->cli, i)) != NULL;
	case EVERYDAY: return (t->command = help_everyday(t->cli, i)) != NULL;
	case SIBLINGS: return sibling_next(t);
	case FLAGS:
		t->flag = help_flag_at(t->cli, t->command, i, &t->own);
		return t->flag != NULL;
	case GROUPS: return (t->group = (unsigned)i) < COMMANDS_GROUPS;
	case EXITS: return exit_next(t);
	case SETTINGS_ROWS: return setting_info(i, &t->setting);
	}
	return false;
}

static bool row_fits(struct str list, const struct table_text *t)
{
	if (str_is(list, "firsts")) return verb_is_new(t);
	if (str_is(list, "seconds")) return strchr(t->command->name, ' ');
	if (str_is(list, "members")) return help_group_of(t->command) == t->group;
	/* Who reads a page has found --help. */
	if (str_is(list, "options")) return strcmp(t->flag->name, "help") != 0;
	if (str_is(list, "choices")) return t->flag->values;
	if (str_is(list, "owns")) return t->own;
	if (str_is(list, "sets")) return !t->own;
	return !str_is(list, "settings") || t->setting.in_file;
}

static bool list_next(const struct text_list *list, struct table_text *t)
{
	while (row_next(list, t))
		if (row_fits(str_of(list->name), t)) return true;
	return false;
}

/* ---- values ---- */

/* "token create" as parley-token-create, or as PARLEY-TOKEN-CREATE. */
static const char *page_name(struct table_text *t, bool upper)
{
	char *name = arena_copy(&t->cli->arena,
		arena_print(&t->cli->arena, "parley-%s", t->command->name));

	for (char *ch = name; ch && *ch; ch++) {
		if (*ch == ' ') *ch = '-';
		if (upper && *ch >= 'a' && *ch <= 'z') *ch = (char)(*ch - 'a' + 'A');
	}
	return name;
}

static const char *verb_value(struct table_text *t, struct str name)
{
	const struct command *c = t->command;
	const char *second = strchr(c->name, ' ');

	if (str_is(name, "name")) return c->name;
	if (str_is(name, "first")) return arena_copy(&t->cli->arena, first_word(c));
	if (str_is(name, "second")) return second ? second + 1 : NULL;
	if (str_is(name, "new")) return verb_is_new(t) ? "yes" : NULL;
	if (str_is(name, "page")) return page_name(t, false);
	if (str_is(name, "title")) return page_name(t, true);
	if (str_is(name, "words")) return c->words;
	if (str_is(name, "summary")) return help_summary(t->cli, c);
	if (str_is(name, "text")) return help_text(t->cli, c);
	if (str_is(name, "examples")) return c->examples;
	if (str_is(name, "source")) return candidates_source(t->cli, c);
	if (str_is(name, "place")) return second ? "3" : "2";
	if (str_is(name, "owned")) return c->flags || c->also ? "yes" : NULL;
	return NULL;
}

static const char *flag_value(struct table_text *t, struct str name)
{
	const struct flag *f = t->flag;

	if (str_is(name, "flag")) return f->name;
	if (str_is(name, "letter") && f->letter)
		return arena_print(&t->cli->arena, "%c", f->letter).at;
	if (str_is(name, "letters"))
		return f->letter ? arena_print(&t->cli->arena, "-%c, ", f->letter).at
				 : "    ";
	if (str_is(name, "value")) return f->value;
	if (str_is(name, "values")) return f->values;
	if (str_is(name, "file")) return f->values ? NULL : f->value;
	if (str_is(name, "about")) return help_flag(t->cli, t->command, f);
	if (str_is(name, "help"))
		return t->own ? help_flag(t->cli, t->command, f)
			      : help_setting(t->cli, t->command, f);
	return NULL;
}

static const char *setting_value(struct table_text *t, struct str name)
{
	struct arena *arena = &t->cli->arena;
	const struct setting_info *s = &t->setting;

	if (!s->name) return NULL;
	if (str_is(name, "setting")) return s->name;
	if (str_is(name, "setting_text")) {
		struct str id = arena_print(arena, "setting.%s", s->name);

		return id.at ? msg_text(id.at) : NULL;
	}
	return MSG(arena, s->fallback ? "help.man.conf.default" : "help.man.conf.accepts",
		{ "accepts", setting_accepts(t->at - 1, arena) },
		{ "default", str_of(s->fallback) })
		.at;
}

static struct str value_of(struct table_text *t, struct str name)
{
	bool color = t->cli->term.out_color;
	const char *value = NULL;

	if (str_find(name, STR(".")) >= 0) {
		const char *id = arena_copy(&t->cli->arena, name);

		return str_of(id ? msg_text(id) : NULL);
	}
	if (str_is(name, "version")) return STR(PARLEY_VERSION);
	if (str_is(name, "bold")) return str_of(tint_on(TINT_BOLD, color));
	if (str_is(name, "plain")) return str_of(tint_off(color));
	if (str_is(name, "sep")) return t->place ? STR(" ") : STR_NONE;
	if (str_is(name, "group")) return str_of(help_group_title(t->group));
	if (str_is(name, "exit")) return t->exit;
	if (str_is(name, "exit_text")) return str_of(help_exit(t->cli, t->page, t->exit));
	if (t->flag) value = flag_value(t, name);
	if (!value && t->command) value = verb_value(t, name);
	return str_of(value ? value : setting_value(t, name));
}

/* ---- filters ---- */

/* Inside of single quotes; fish has the backslash besides. The first line alone. */
static void quoted_add(struct buf *out, struct str text, char special)
{
	for (size_t i = 0; i < text.len && text.at[i] != '\n'; i++) {
		if (text.at[i] == '\'') buf_add_text(out, "'\\'");
		if (special && text.at[i] == special) buf_add_char(out, '\\');
		buf_add_char(out, text.at[i]);
	}
}

static void zsh_add(struct buf *out, struct str text)
{
	quoted_add(out, text, 0);
}

static void fish_add(struct buf *out, struct str text)
{
	quoted_add(out, text, '\\');
}

/* groff prints typographic quotes, accents and hyphens for these: what is copied from the
 * page would not run. */
static void char_add(struct buf *out, char ch)
{
	static const char *const names[] = { "\\\\e", "'\\(aq", "\"\\(dq", "`\\(ga",
		"^\\(ha", "~\\(ti", "-\\-" };

	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (ch == names[i][0]) {
			buf_add_text(out, names[i] + 1);
			return;
		}
	buf_add_char(out, ch);
}

static void chars_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		char_add(out, text.at[i]);
}

/* A line of text that no macro is read in. The hyphens of its words are hyphens, where a line may
 * be broken; those of options are not. */
static void text_add(struct buf *out, struct str text)
{
	bool option = false;

	if (text.len > 0 && *text.at == '.') buf_add_text(out, "\\&");
	for (size_t i = 0; i < text.len; i++) {
		char ch = text.at[i];

		if (ch == ' ')
			option = false;
		else if (ch == '-' && (i == 0 || strchr(" '(`", text.at[i - 1])))
			option = true;
		if (ch == '-' && !option)
			buf_add_char(out, ch);
		else
			char_add(out, ch);
	}
}

/* Behind its full stop; ".." is a folder. */
static size_t sentence_end(struct str text)
{
	for (size_t i = 1; i + 1 < text.len; i++)
		if (text.at[i] == '.' && text.at[i + 1] == ' ' && text.at[i - 1] != '.')
			return i + 1;
	return text.len;
}

/* mdoc wants a line for each sentence, and a macro between paragraphs. */
static void prose_add(struct buf *out, struct str text)
{
	struct str line;

	for (bool more = false; str_cut(&text, '\n', &line); more = true) {
		if (more) buf_add_char(out, '\n');
		line = str_trim(line);
		if (!line.len) buf_add_text(out, ".Pp");
		for (size_t end; (end = sentence_end(line)) < line.len;) {
			text_add(out, str_first(line, end));
			buf_add_char(out, '\n');
			line = str_trim(str_from(line, end));
		}
		text_add(out, line);
	}
}

/* The first sentence. It goes on behind the name, so it starts with a small letter. */
static void whatis_add(struct buf *out, struct str text)
{
	text = str_first(text, sentence_end(text));
	if (str_ends(text, ".")) text.len--;
	if (text.len > 0 && *text.at >= 'A' && *text.at <= 'Z') {
		buf_add_char(out, (char)(*text.at - 'A' + 'a'));
		text = str_from(text, 1);
	}
	text_add(out, text);
}

static void wrapped_add(struct buf *out, struct str text)
{
	safe_wrap_add(out, text, "", HELP_WIDTH);
}

/* Lines; one that goes on is indented already. */
static void indented_add(struct buf *out, struct str text)
{
	struct str line;

	while (str_cut(&text, '\n', &line))
		buf_print(out, "%s%.*s\n", line.at[0] == ' ' ? "" : "  ", STR_ARGS(line));
}

static const struct {
	const char *name;
	void (*add)(struct buf *, struct str);
} filters[] = { { "wrapped", wrapped_add }, { "indented", indented_add },
	{ "quoted", zsh_add }, { "escaped", fish_add }, { "chars", chars_add },
	{ "prose", prose_add }, { "whatis", whatis_add } };

/* ---- templates ---- */

static struct str expand(struct table_text *t, struct str text);

/* Goes over what is not shown. Returns what follows its @end@. */
static struct str skip(const struct table_text *t, struct str body)
{
	struct table_text inner = *t;
	struct buf nowhere = { 0 };
	struct str rest;

	inner.out = &nowhere;
	rest = expand(&inner, body);
	buf_done(&nowhere);
	return rest;
}

static struct str each_expand(struct table_text *t, struct str list, struct str body)
{
	struct table_text inner = *t;
	struct str rest = STR_NONE;

	inner.at = inner.place = 0;
	for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
		for (; str_is(list, lists[i].name) && list_next(&lists[i], &inner);
			inner.place++)
			rest = expand(&inner, body);
	return inner.place ? rest : skip(t, body);
}

/* @row COLUMN@LEFT@tab@RIGHT@end@; 0: right behind what is left. */
static struct str row_expand(struct table_text *t, struct str column, struct str body)
{
	struct table_text inner = *t;
	struct buf left = { 0 }, right = { 0 };
	int64_t at = 0;

	inner.out = &left;
	body = expand(&inner, body);
	inner.out = &right;
	body = expand(&inner, body);
	str_to_int(column, 0, HELP_WIDTH, &at);
	help_row_add(t->out, buf_str(&left),
		at ? (size_t)at : text_width(buf_str(&left)) + 1, buf_str(&right));
	buf_done(&left);
	buf_done(&right);
	return body;
}

static void value_add(struct table_text *t, struct str tag)
{
	struct str rest = tag, filter;

	str_cut(&rest, ' ', &filter);
	for (size_t i = 0; rest.len && i < sizeof filters / sizeof *filters; i++)
		if (str_is(filter, filters[i].name)) {
			filters[i].add(t->out, value_of(t, rest));
			return;
		}
	buf_add(t->out, value_of(t, tag));
}

static struct str expand(struct table_text *t, struct str text)
{
	struct str piece, tag;

	while (str_cut(&text, '@', &piece)) {
		buf_add(t->out, piece);
		if (!str_cut(&text, '@', &tag)) break;
		if (str_is(tag, "end") || str_is(tag, "tab")) return text;
		if (str_starts(tag, "each "))
			text = each_expand(t, str_from(tag, strlen("each ")), text);
		else if (str_starts(tag, "if "))
			text = value_of(t, str_from(tag, strlen("if "))).len
				       ? expand(t, text)
				       : skip(t, text);
		else if (str_starts(tag, "row "))
			text = row_expand(t, str_from(tag, strlen("row ")), text);
		else
			value_add(t, tag);
	}
	return STR_NONE;
}

void help_fill(
	struct cli *cli, const struct command *c, const char *template, struct buf *out)
{
	struct table_text t = { .cli = cli, .out = out, .page = c, .command = c };

	expand(&t, str_of(template));
}

bool completion_write(struct cli *cli, struct str shell, struct buf *out)
{
	const char *template = str_is(shell, "bash")   ? template_bash
			       : str_is(shell, "zsh")  ? template_zsh
			       : str_is(shell, "fish") ? template_fish
						       : NULL;

	if (template) help_fill(cli, NULL, template, out);
	return template;
}
