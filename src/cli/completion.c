/* completion.c - completions for the shells, from the tables. */
#include "cli/help.h"

/* In single quotes, with what the shell's own list format takes for itself escaped. */
static void quoted_add(struct buf *out, const char *text, const char *special)
{
	buf_add_char(out, '\'');
	for (; *text && *text != '\n'; text++) {
		if (*text == '\'') {
			buf_add_text(out, "'\\''");
			continue;
		}
		if (strchr(special, *text)) buf_add_char(out, '\\');
		buf_add_char(out, *text);
	}
	buf_add_char(out, '\'');
}

/* The first word of a name; a two-word verb is completed by its first, then by its
 * second. */
static struct str first_word(const struct command *c)
{
	struct str rest = str_of(c->name), first = rest;

	str_cut(&rest, ' ', &first);
	return first;
}

static bool first_seen(struct cli *cli, size_t before, struct str word)
{
	for (size_t i = 0; i < before; i++)
		if (str_eq(first_word(command_at(cli, i)), word)) return true;
	return false;
}

static void bash_flags(struct cli *cli, const struct command *c, struct buf *out)
{
	const struct flag *f;
	bool own;

	for (size_t i = 0; (f = help_flag_at(cli, c, i, &own)); i++)
		buf_print(out, "%s--%s", i ? " " : "", f->name);
}

/* "list --status" and the like: the words that an option takes. */
static void bash_values(struct cli *cli, struct buf *out)
{
	const struct command *c;
	const struct flag *f;
	bool own;

	for (size_t i = 0; (c = command_at(cli, i)); i++)
		for (size_t n = 0; (f = help_flag_at(cli, c, n, &own)); n++)
			if (f->values)
				buf_print(out, "\t\t\"%s \"*\"--%s\") values='%s' ;;\n",
					c->name, f->name, f->values);
}

static void bash_write(struct cli *cli, struct buf *out)
{
	const struct command *c;

	buf_add_text(out,
		"# bash completion for parley\n_parley()\n{\n"
		"\tlocal cur=${COMP_WORDS[COMP_CWORD]} verb=${COMP_WORDS[1]} words= values=\n"
		"\tlocal prev=${COMP_WORDS[COMP_CWORD-1]}\n"
		"\tCOMPREPLY=()\n\tif [ \"$COMP_CWORD\" -eq 1 ]; then\n\t\twords=\"");
	for (size_t i = 0; (c = command_at(cli, i)); i++)
		if (!first_seen(cli, i, first_word(c)))
			buf_print(out, "%.*s ", STR_ARGS(first_word(c)));
	buf_add_text(out,
		"--help --version\"\n\telse\n\t\tcase \"$verb ${COMP_WORDS[2]} \" in\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		buf_print(out, "\t\t\"%s \"*) words=\"", c->name);
		bash_flags(cli, c, out);
		buf_add_text(out, "\" ;;\n");
	}
	buf_add_text(out, "\t\tesac\n\t\tcase \"$verb ${COMP_WORDS[2]} $prev\" in\n");
	bash_values(cli, out);
	buf_add_text(out, "\t\tesac\n\t\tif [ -n \"$values\" ]; then\n"
			  "\t\t\tmapfile -t COMPREPLY < <(compgen -W \"$values\" -- "
			  "\"$cur\")\n\t\t\treturn\n\t\tfi\n"
			  "\t\tcase $verb:$cur in\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++)
		if (strchr(c->name, ' '))
			buf_print(out,
				"\t\t%.*s:[!-]* | %.*s:)\n\t\t\t[ \"$COMP_CWORD\" -eq 2 "
				"] && "
				"words+=\" %s\" ;;&\n",
				STR_ARGS(first_word(c)), STR_ARGS(first_word(c)),
				strchr(c->name, ' ') + 1);
	buf_add_text(out,
		"\t\t*:-*) ;;\n\t\twait:* | show:* | answer:* | skip:* | cancel:*)\n"
		"\t\t\twords=; [ \"$COMP_CWORD\" -eq 2 ] && words=$(parley list "
		"2>/dev/null | cut -f 1) ;;\n"
		"\t\ttoken:* | user:* | delivery:*)\n"
		"\t\t\tcase ${COMP_WORDS[2]}:$COMP_CWORD in revoke:3 | remove:3 | "
		"login:3 | password:3 | replay:3)\n"
		"\t\t\t\twords=$(parley \"${COMP_WORDS[1]}\" list 2>/dev/null | "
		"awk '{print $1}') ;; esac ;;\n"
		"\t\thelp:*) words=$(parley help --names) ;;\n"
		"\t\tgate:* | host:*) mapfile -t COMPREPLY < <(compgen -c -- \"$cur\"); "
		"return ;;\n"
		"\t\tbackup:* | check:*) mapfile -t COMPREPLY < <(compgen -f -- \"$cur\"); "
		"return ;;\n"
		"\t\tcompletion:*) words='bash zsh fish' ;;\n\t\tesac\n\tfi\n"
		"\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n}\n"
		"complete -o default -F _parley parley\n");
}

static void zsh_write(struct cli *cli, struct buf *out)
{
	const struct command *c;
	const struct flag *f;
	bool own;

	buf_add_text(out, "#compdef parley\nlocal -a verbs flags ids\nverbs=(\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		struct str line = arena_print(&cli->arena, "%.*s:%s",
			STR_ARGS(first_word(c)), help_summary(cli, c));

		if (first_seen(cli, i, first_word(c))) continue;
		buf_add_text(out, "  ");
		quoted_add(out, line.at ? line.at : "", "");
		buf_add_char(out, '\n');
	}
	buf_add_text(out,
		")\nif (( CURRENT == 2 )); then\n  _describe verb verbs\n  return\nfi\n"
		"case \"$words[2] $words[3] \" in\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		buf_print(out, "  '%s '*) flags=(\n", c->name);
		for (size_t n = 0; (f = help_flag_at(cli, c, n, &own)); n++) {
			struct str line = arena_print(
				&cli->arena, "--%s:%s", f->name, help_flag(cli, c, f));

			buf_add_text(out, "    ");
			quoted_add(out, line.at ? line.at : "", "");
			buf_add_char(out, '\n');
		}
		buf_add_text(out, "  ) ;;\n");
	}
	buf_add_text(out, "esac\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++)
		if (strchr(c->name, ' '))
			buf_print(out,
				"[[ \"$CURRENT $words[2]\" == '3 %.*s' ]] && compadd %s\n",
				STR_ARGS(first_word(c)), strchr(c->name, ' ') + 1);
	buf_add_text(out, "case \"$words[2] $words[3] $words[CURRENT-1]\" in\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++)
		for (size_t n = 0; (f = help_flag_at(cli, c, n, &own)); n++)
			if (f->values)
				buf_print(out, "  '%s '*'--%s') compadd %s; return ;;\n",
					c->name, f->name, f->values);
	buf_add_text(out, "esac\n");
	buf_add_text(out,
		"if [[ $PREFIX == -* ]]; then\n  _describe -o option flags\nelse\n"
		"  case $words[2] in\n    wait|show|answer|skip|cancel)\n"
		"      ids=(${(f)\"$(parley list 2>/dev/null | cut -f 1)\"})\n"
		"      compadd -a ids ;;\n    completion) compadd bash zsh fish ;;\n"
		"    token|user|delivery)\n"
		"      case $words[3] in revoke|remove|login|password|replay)\n"
		"        compadd ${(f)\"$(parley $words[2] list 2>/dev/null | "
		"awk '{print $1}')\"} ;; esac ;;\n"
		"    help) compadd ${(f)\"$(parley help --names)\"} ;;\n"
		"    gate|host) _command_names ;;\n"
		"    *) _files ;;\n  esac\nfi\n");
}

static void fish_write(struct cli *cli, struct buf *out)
{
	const struct command *c;
	const struct flag *f;
	bool own;

	buf_add_text(out, "# fish completion for parley\ncomplete -c parley -f\n");
	for (size_t i = 0; (c = command_at(cli, i)); i++) {
		struct str first = first_word(c);

		if (!first_seen(cli, i, first)) {
			buf_print(out,
				"complete -c parley -n __fish_use_subcommand -a %.*s -d ",
				STR_ARGS(first));
			quoted_add(out, help_summary(cli, c), "\\");
			buf_add_char(out, '\n');
		}
		if (first.len < strlen(c->name))
			buf_print(out,
				"complete -c parley -n '__fish_seen_subcommand_from "
				"%.*s' -a %s\n",
				STR_ARGS(first), c->name + first.len + 1);
		for (size_t n = 0; (f = help_flag_at(cli, c, n, &own)); n++) {
			buf_print(out,
				"complete -c parley -n '__fish_seen_subcommand_from "
				"%.*s' -l %s",
				STR_ARGS(first), f->name);
			if (f->letter) buf_print(out, " -s %c", f->letter);
			if (f->values)
				buf_print(out, " -x -a '%s'", f->values);
			else if (f->value)
				buf_add_text(out, " -r -F");
			buf_add_text(out, " -d ");
			quoted_add(out, help_flag(cli, c, f), "\\");
			buf_add_char(out, '\n');
		}
	}
	buf_add_text(out, "complete -c parley -n '__fish_seen_subcommand_from wait show "
			  "answer skip cancel' "
			  "-a '(parley list 2>/dev/null | cut -f 1)'\n"
			  "complete -c parley -n '__fish_seen_subcommand_from "
			  "completion' -a 'bash zsh fish'\n"
			  "complete -c parley -n '__fish_seen_subcommand_from revoke "
			  "remove replay' -a '(parley (commandline -opc)[2] list "
			  "2>/dev/null | awk \"{print \\$1}\")'\n"
			  "complete -c parley -n '__fish_seen_subcommand_from help' "
			  "-a '(parley help --names)'\n"
			  "complete -c parley -n '__fish_seen_subcommand_from backup "
			  "check' -F\n");
}

bool completion_write(struct cli *cli, struct str shell, struct buf *out)
{
	static const struct {
		const char *shell;
		void (*write)(struct cli *, struct buf *);
	} shells[] = { { "bash", bash_write }, { "zsh", zsh_write },
		{ "fish", fish_write } };

	for (size_t i = 0; i < sizeof shells / sizeof *shells; i++) {
		if (!str_is(shell, shells[i].shell)) continue;
		shells[i].write(cli, out);
		return true;
	}
	return false;
}
