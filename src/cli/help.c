/* help.c - --help from the tables of verbs and settings. */
#include "cli/help.h"

#include <stdio.h>

#include "cli/templates/templates.h"
#include "text/safe_text.h"

enum { FLAG_COLUMN = 28 };

/* help.NAME<tail>, with dots for the blanks of a two-word name. */
static const char *text_find(struct cli *cli, const struct command *c, const char *tail)
{
	char *id = arena_copy(
		&cli->arena, arena_print(&cli->arena, "help.%s%s", c->name, tail));

	for (char *ch = id; ch && (ch = strchr(ch, ' '));)
		*ch = '.';
	return id ? msg_text(id) : NULL;
}

/* Of the verb, else of all of them; NULL: neither has it. */
static const char *text_common(
	struct cli *cli, const struct command *c, const char *kind, struct str name)
{
	struct str tail = arena_print(&cli->arena, "%s%.*s", kind, STR_ARGS(name));
	const char *text = c && tail.at ? text_find(cli, c, tail.at) : NULL;
	struct str common = arena_print(&cli->arena, "help%.*s", STR_ARGS(tail));

	return text || !common.at ? text : msg_text(common.at);
}

static const char *or_empty(const char *text)
{
	return text ? text : "";
}

const char *help_summary(struct cli *cli, const struct command *c)
{
	return or_empty(text_find(cli, c, ""));
}

const char *help_text(struct cli *cli, const struct command *c)
{
	return or_empty(text_find(cli, c, ".text"));
}

const char *help_flag(struct cli *cli, const struct command *c, const struct flag *flag)
{
	const char *text = text_common(cli, c, ".--", str_of(flag->name));
	char *setting = arena_copy(
		&cli->arena, arena_print(&cli->arena, "setting.%s", flag->name));

	for (char *ch = setting; ch && (ch = strchr(ch, '-'));)
		*ch = '_';
	return or_empty(text || !setting ? text : msg_text(setting));
}

const char *help_exit(struct cli *cli, const struct command *c, struct str status)
{
	static const struct command all = { "parley" };

	return or_empty(text_common(cli, c ? c : &all, ".exit.", status));
}

const struct flag *help_flag_at(
	struct cli *cli, const struct command *c, size_t i, bool *own)
{
	static const struct flag help = { "help", .letter = 'h' };
	const struct flag *more = settings_flags(c->what | SETTINGS_ALL, &cli->arena);
	size_t n = 0;

	*own = true;
	for (const struct flag *f = c->flags; f && f->name; f++, n++)
		if (n == i) return f;
	for (const struct flag *f = c->also; f && f->name; f++, n++)
		if (n == i) return f;
	*own = false;
	for (; more && more->name; more++, n++)
		if (n == i) return more;
	return n == i ? &help : NULL;
}

/* A left column, and text that goes on under itself. */
void help_row_add(struct buf *out, struct str left, size_t column, struct str text)
{
	char indent[HELP_WIDTH + 1];
	struct buf right = { 0 };
	size_t width = text_width(left);

	snprintf(indent, sizeof indent, "%*s", (int)column, "");
	safe_wrap_add(&right, text, indent, HELP_WIDTH);
	buf_add(out, left);
	if (width < column) {
		for (; width < column; width++)
			buf_add_char(out, ' ');
		buf_add(out, str_from(buf_str(&right), column));
	} else {
		buf_add_char(out, '\n');
		buf_add(out, buf_str(&right));
	}
	buf_done(&right);
}

const char *help_setting(struct cli *cli, const struct command *c, const struct flag *f)
{
	const char *text = help_flag(cli, c, f);
	struct setting_info s;

	if (!f->value) return text; /* a switch takes no value */
	for (size_t i = 0; setting_info(i, &s); i++) {
		struct str accepts;

		if (!s.fallback || !args_name_is(str_of(s.name), f->name)) continue;
		accepts = setting_accepts(i, &cli->arena);
		return arena_print(&cli->arena, "%s %s", text,
			MSG(&cli->arena, "help.man.conf.default", { "accepts", accepts },
				{ "default", str_of(s.fallback) })
				.at)
			.at;
	}
	return text;
}

const char *help_group_title(unsigned group)
{
	static const char *const titles[] = { "help.group.ask", "help.group.answer",
		"help.group.rules", "help.group.agents", "help.group.server",
		"help.group.admin" };

	return msg_text(titles[group]);
}

/* By its first word; what is not named here administers. */
static const struct {
	const char *words;
	unsigned group;
} group_rows[] = { { "ask request gate wait cancel", COMMANDS_ASK },
	{ "inbox list show answer approve reject reply claim assign snooze extend skip take-back "
	  "history receipt verify expect insights open watch status whoami login logout pause resume away contact route alert",
		COMMANDS_ANSWER },
	{ "rule rehearse policy mandate template preference team", COMMANDS_RULES },
	{ "connect host mcp mcp-gateway hook run attach session project usage agent provider tool mcp-server",
		COMMANDS_AGENTS },
	{ "serve mail-in slack doctor backup check copy completion help",
		COMMANDS_SERVER } };

unsigned help_group_of(const struct command *c)
{
	struct str name = str_of(c->name), first = name;

	str_cut(&name, ' ', &first);
	for (size_t i = 0; i < sizeof group_rows / sizeof *group_rows; i++)
		if (args_among(group_rows[i].words, first)) return group_rows[i].group;
	return COMMANDS_ADMIN;
}

/* What the overview shows, in its order. */
static const char *const everyday[] = { "ask", "gate", "wait", "inbox", "list", "show",
	"answer", "approve", "reject", "skip", "login", "status", "run", "connect",
	"pause", "resume", "serve", "doctor" };

const struct command *help_everyday(const struct cli *cli, size_t i)
{
	return i < sizeof everyday / sizeof *everyday
		       ? command_find(cli, str_of(everyday[i]))
		       : NULL;
}

static int filled_print(
	struct cli *cli, const struct command *c, const char *template, FILE *to)
{
	struct buf out = { 0 };

	help_fill(cli, c, template, &out);
	if (out.len > 0) fwrite(out.at, 1, out.len, to);
	buf_done(&out);
	return EXIT_YES;
}

int help_print(struct cli *cli, const struct command *c, FILE *to)
{
	return filled_print(cli, c, c ? template_help_verb : template_help_overview, to);
}

int help_print_all(struct cli *cli)
{
	return filled_print(cli, NULL, template_help_all, stdout);
}

bool help_group(struct cli *cli, struct str first, FILE *to)
{
	struct buf out = { 0 };
	const struct command *c;

	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		if (!str_eq(str_first(str_of(c->name), first.len), first) ||
			c->name[first.len] != ' ')
			continue;
		if (out.len == 0)
			buf_print(&out, "%s\n",
				MSG(&cli->arena, "cli.group", { "verb", first }).at);
		help_row_add(&out, arena_print(&cli->arena, "  parley %s", c->name),
			FLAG_COLUMN, str_of(help_summary(cli, c)));
	}
	if (out.len > 0) fwrite(out.at, 1, out.len, to);
	bool any = out.len > 0;
	buf_done(&out);
	return any;
}
