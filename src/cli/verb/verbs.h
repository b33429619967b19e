/* verbs.h - the rows of this folder's verbs, each in its own file, up to one without a name. */
#ifndef CLI_VERB_VERBS_H
#define CLI_VERB_VERBS_H

#include "cli/cli.h"

extern const struct command ask_verbs[], approve_verbs[], gate_verbs[], wait_verbs[],
	show_verbs[], list_verbs[], answer_verbs[], settle_verbs[], handle_verbs[],
	status_verbs[], proof_verbs[], export_verbs[], insights_verbs[], hold_verbs[],
	preference_verbs[], mandate_verbs[], stop_verbs[], rule_verbs[],
	rule_file_verbs[], policy_verbs[], away_verbs[], contact_verbs[], route_verbs[],
	slack_verbs[], run_verbs[], runs_verbs[], watch_verbs[], inbox_verbs[],
	host_verbs[], mcp_verbs[], connect_verbs[], hook_verbs[], login_verbs[],
	doctor_verbs[], help_verbs[], token_verbs[], user_verbs[], team_verbs[],
	template_verbs[], workspace_verbs[], agents_verbs[], providers_verbs[],
	tools_verbs[], mcp_servers_verbs[], delivery_verbs[], mail_in_verbs[],
	store_verbs[], alerts_verbs[];

/* May an MCP server have this name? */
bool mcp_named(struct str name);

#endif
