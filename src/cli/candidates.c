/* candidates.c - which list has what a command's first word names. */
#include "cli/candidates.h"

#include "base/keep.h"
#include "cli/connect/agents.h"

#define FIRST "| cut -d\" \" -f1"

/* The first row that fits counts. `noun` NULL: of any command. */
static const struct {
	const char *noun, *words; /* the command's first word; how its arguments begin */
	const char *source;
} sources[] = {
	{ "delivery", "ID", "parley delivery list " FIRST },
	{ "token", "ID", "parley token list " FIRST },
	{ "user", "NAME",
		"parley user list | tr -s \" \" | cut -d\" \" -f1,4 | tr \" \" \"\\n\"" },
	{ "provider", "NAME", "parley provider list " FIRST },
	{ "tool", "NAME", "parley tool list " FIRST },
	{ "mcp-server", "NAME", "parley mcp-server list " FIRST },
	{ "template", "NAME", "parley template list " FIRST },
	{ NULL, "ID", "parley list | cut -f 1" },
	{ NULL, "[ID", "parley list | cut -f 1" },
	{ NULL, "ASK|RUN", "parley list | cut -f 1; parley run list " FIRST },
	{ NULL, "ASK", "parley list | cut -f 1" },
	{ NULL, "RUN",
		"parley run list " FIRST "; parley session list | cut -d\" \" -f2" },
	{ NULL, "SESSION", "parley session list | cut -d\" \" -f2" },
	{ NULL, "HOLD", "parley hold list " FIRST },
	{ NULL, "MANDATE", "parley mandate list " FIRST },
	{ NULL, "PREFERENCE", "parley preference list " FIRST },
	{ NULL, "RULE", "parley rule list " FIRST },
	{ NULL, "ALERT", "parley alerts " FIRST },
	{ NULL, "TEAM", "parley team list " FIRST },
	{ NULL, "CONTACT", "parley contact list " FIRST },
	{ NULL, "[STOP", "parley pause list " FIRST },
	{ "agent", "AGENT", "parley agent list " FIRST },
	{ "run", "[AGENT", "parley agent list " FIRST },
	{ NULL, "[EFFECT", "echo allow ask deny" },
	{ NULL, "CHANNEL", "echo email slack webhook command" },
	{ NULL, "[UNTIL", "echo back" },
	{ NULL, "bash|", "echo bash zsh fish" },
	{ NULL, "[all|", "parley help --names" },
};

/* The coding agents that are known here. */
static const char *coding_agents(struct cli *cli, bool hooks)
{
	struct buf out = { .max = 4096 };

	buf_add_text(&out, "echo");
	for (const struct agent *a = agents; a->name; a++)
		if (!hooks || a->hook) buf_print(&out, " %s", a->name);
	return buf_keep_done(&out, &cli->arena).at;
}

const char *candidates_source(struct cli *cli, const struct command *c)
{
	struct str words = str_of(c->words), rest = str_of(c->name), noun;

	str_cut(&rest, ' ', &noun);
	if (str_is(noun, "connect")) return coding_agents(cli, false);
	if (str_is(noun, "hook")) return coding_agents(cli, true);
	for (size_t i = 0; i < sizeof sources / sizeof *sources; i++)
		if (str_starts(words, sources[i].words) &&
			(!sources[i].noun || str_is(noun, sources[i].noun)))
			return sources[i].source;
	return NULL;
}
