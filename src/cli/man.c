/* man.c - manual pages in mdoc, from the same tables and texts as --help. */
#include "cli/help.h"

#include <string.h>

/* groff prints typographic quotes, accents and hyphens for these: what is copied from the
 * page would not run. */
static void char_add(struct buf *out, char ch)
{
	switch (ch) {
	case '\\': buf_add_text(out, "\\e"); break;
	case '\'': buf_add_text(out, "\\(aq"); break;
	case '"': buf_add_text(out, "\\(dq"); break;
	case '`': buf_add_text(out, "\\(ga"); break;
	case '^': buf_add_text(out, "\\(ha"); break;
	case '~': buf_add_text(out, "\\(ti"); break;
	case '-': buf_add_text(out, "\\-"); break;
	default: buf_add_char(out, ch);
	}
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
	buf_add_char(out, '\n');
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
static void line_add(struct buf *out, struct str line)
{
	size_t end;

	while ((end = sentence_end(line)) < line.len) {
		text_add(out, str_first(line, end));
		line = str_trim(str_from(line, end));
	}
	text_add(out, line);
}

static void prose_add(struct buf *out, const char *text)
{
	struct str rest = str_of(text), line;

	while (str_cut(&rest, '\n', &line)) {
		if (str_trim(line).len == 0)
			buf_add_text(out, ".Pp\n");
		else
			line_add(out, str_trim(line));
	}
}

/* A macro's argument: in quotes, so that it is one, and none of its own. */
static void arg_add(struct buf *out, const char *text)
{
	buf_add_text(out, " \"\\&");
	chars_add(out, str_of(text));
	buf_add_char(out, '"');
}

static void section_add(struct buf *out, const char *id)
{
	buf_print(out, ".Sh %s\n", msg_text(id));
}

static void page_start(struct buf *out, const char *title, int section, const char *name,
	const char *summary)
{
	struct str text = str_of(summary);

	text = str_first(text, sentence_end(text));
	if (text.len > 0 && text.at[text.len - 1] == '.') text.len--;
	buf_print(out, ".Dd %s\n.Dt %s %d\n.Os Parley " PARLEY_VERSION "\n",
		msg_text("help.man.date"), title, section);
	/* groff prints the page's head when it meets the section of this name. */
	buf_print(out, ".ds doc-section-name %s\n", msg_text("help.man.title.name"));
	section_add(out, "help.man.title.name");
	buf_print(out, ".Nm %s\n.Nd ", name);
	/* It goes on behind the name, so it starts with a small letter. */
	if (text.len > 0 && *text.at >= 'A' && *text.at <= 'Z') {
		buf_add_char(out, (char)(*text.at - 'A' + 'a'));
		text = str_from(text, 1);
	}
	text_add(out, text);
}

/* "token create" as PARLEY-TOKEN-CREATE, or as parley-token-create. */
static const char *page_name(struct cli *cli, const struct command *c, bool upper)
{
	char *name =
		arena_copy(&cli->arena, arena_print(&cli->arena, "parley-%s", c->name));

	for (char *ch = name; ch && *ch; ch++) {
		if (*ch == ' ') *ch = '-';
		if (upper && *ch >= 'a' && *ch <= 'z') *ch = (char)(*ch - 'a' + 'A');
	}
	return name ? name : "parley";
}

static void flags_add(struct cli *cli, const struct command *c, struct buf *out)
{
	const struct flag *f;
	bool own;

	buf_add_text(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; (f = help_flag_at(cli, c, i, &own)); i++) {
		if (strcmp(f->name, "help") == 0)
			continue; /* whoever reads this has it */
		buf_add_text(out, ".It");
		if (f->letter) buf_print(out, " Fl %c ,", f->letter);
		buf_add_text(out, " Fl \\-");
		chars_add(out, str_of(f->name));
		if (f->value) buf_add_text(out, " Ar"), arg_add(out, f->value);
		buf_add_char(out, '\n');
		prose_add(out, own ? help_flag(cli, c, f) : help_setting(cli, c, f));
	}
	buf_add_text(out, ".El\n");
}

static void exits_add(struct cli *cli, const struct command *c, struct buf *out)
{
	struct str rest = str_of(c ? c->exits : "0 1 2 3 4 5 6 124 130"), status;

	section_add(out, "help.man.title.exits");
	buf_add_text(out, ".Bl -tag -width Ds\n");
	while (str_cut(&rest, ' ', &status)) {
		buf_print(out, ".It %.*s\n", STR_ARGS(status));
		prose_add(out, help_exit(cli, c, status));
	}
	buf_add_text(out, ".El\n");
}

static void examples_add(const struct command *c, struct buf *out)
{
	if (!c->examples) return;
	section_add(out, "help.man.title.examples");
	buf_add_text(out, ".Bd -literal\n");
	chars_add(out, str_of(c->examples));
	buf_add_text(out, "\n.Ed\n");
}

static bool same_group(const struct command *a, const struct command *b)
{
	size_t len = strcspn(a->name, " ");

	return a->name[len] && strncmp(a->name, b->name, len + 1) == 0;
}

/* The commands that begin with the same word, "rule list" of "rule add", by name. */
static void siblings_add(struct cli *cli, const struct command *c, struct buf *out)
{
	const struct command *other, *next;

	for (const char *last = ""; last; last = next ? next->name : NULL) {
		next = NULL;
		for (size_t i = 0; (other = command_at(cli, i)); i++)
			if (other != c && same_group(c, other) &&
				strcmp(other->name, last) > 0 &&
				(!next || strcmp(other->name, next->name) < 0))
				next = other;
		if (next) buf_print(out, ".Xr %s 1 ,\n", page_name(cli, next, false));
	}
}

void man_verb(struct cli *cli, const struct command *c, struct buf *out)
{
	page_start(out, page_name(cli, c, true), 1, page_name(cli, c, false),
		help_summary(cli, c));
	buf_print(out, ".Sh SYNOPSIS\n.Nm parley %s\n.Op Ar", c->name);
	arg_add(out, msg_text("help.word.options"));
	buf_add_char(out, '\n');
	if (c->words)
		buf_add_text(out, ".Ar"), arg_add(out, c->words), buf_add_char(out, '\n');
	buf_add_text(out, ".Sh DESCRIPTION\n");
	prose_add(out, help_summary(cli, c));
	if (*help_text(cli, c))
		buf_add_text(out, ".Pp\n"), prose_add(out, help_text(cli, c));
	buf_add_text(out, ".Pp\n");
	prose_add(out, msg_text("help.man.options"));
	flags_add(cli, c, out);
	exits_add(cli, c, out);
	examples_add(c, out);
	section_add(out, "help.man.title.see");
	buf_add_text(out, ".Xr parley 1 ,\n");
	siblings_add(cli, c, out);
	buf_add_text(out, ".Xr parley.conf 5\n");
}

void man_overview(struct cli *cli, struct buf *out)
{
	const struct command *c;

	page_start(out, "PARLEY", 1, "parley", msg_text("help.man.summary"));
	buf_add_text(out, ".Sh SYNOPSIS\n.Nm\n.Ar");
	arg_add(out, msg_text("help.word.verb"));
	buf_add_text(out, "\n.Sh DESCRIPTION\n");
	prose_add(out, msg_text("help.man.overview"));
	for (unsigned group = 0; group < COMMANDS_GROUPS; group++) {
		buf_print(out, ".Ss %s\n.Bl -tag -width Ds\n", help_group_title(group));
		for (size_t i = 0; (c = command_at(cli, i)); i++) {
			if (help_group_of(c) != group) continue;
			buf_print(out, ".It Xr %s 1\n", page_name(cli, c, false));
			prose_add(out, help_summary(cli, c));
		}
		buf_add_text(out, ".El\n");
	}
	section_add(out, "help.man.title.environment");
	prose_add(out, msg_text("help.man.environment"));
	section_add(out, "help.man.title.files");
	prose_add(out, msg_text("help.man.files"));
	exits_add(cli, NULL, out);
	section_add(out, "help.man.title.see");
	buf_add_text(out, ".Xr parley.conf 5\n");
}

void man_settings(struct cli *cli, struct buf *out)
{
	static const struct {
		const char *title, *id;
	} sections[] = { { "help.man.title.resumers", "help.man.resumers" },
		{ "help.man.title.verifiers", "help.man.verifiers" },
		{ "help.man.title.channels", "help.man.channels" },
		{ "help.man.title.agents", "help.man.agents" } };
	struct setting_info s;

	page_start(
		out, "PARLEY.CONF", 5, "parley.conf", msg_text("help.man.conf.summary"));
	buf_add_text(out, ".Sh DESCRIPTION\n");
	prose_add(out, msg_text("help.man.conf"));
	buf_add_text(out, ".Bl -tag -width Ds\n");
	for (size_t i = 0; setting_info(i, &s); i++) {
		struct str id = arena_print(&cli->arena, "setting.%s", s.name);
		const char *text = id.at ? msg_text(id.at) : NULL;

		if (!s.in_file) continue;
		buf_print(out, ".It Ic %s\n", s.name);
		prose_add(out, text ? text : "");
		struct str accepts = setting_accepts(i, &cli->arena);
		struct str said = s.fallback ? MSG(&cli->arena, "help.man.conf.default",
						       { "accepts", accepts },
						       { "default", str_of(s.fallback) })
					     : MSG(&cli->arena, "help.man.conf.accepts",
						       { "accepts", accepts });
		line_add(out, said);
	}
	buf_add_text(out, ".El\n");
	for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
		section_add(out, sections[i].title);
		prose_add(out, msg_text(sections[i].id));
	}
	section_add(out, "help.man.title.examples");
	buf_add_text(out,
		".Bd -literal\nlisten = 0.0.0.0:7275\n"
		"url = https://desk.example.org\nplain = yes\nask_rate = 600\n\n"
		"[resumers]\nclaude = claude --resume {external_id} -p {context}\n\n"
		"[verifiers]\nscan = https://scan.example.org/ask\n\n"
		"[provider anthropic]\nkey_env = ANTHROPIC_API_KEY\n.Ed\n");
	section_add(out, "help.man.title.see");
	buf_add_text(out, ".Xr parley 1\n");
}
