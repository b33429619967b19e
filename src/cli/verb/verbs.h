/* verbs.h - the rows of this folder's verbs, each in its own file. */
#ifndef CLI_VERB_VERBS_H
#define CLI_VERB_VERBS_H

#include "cli/cli.h"

extern const struct command verb_ask, verb_approve, verb_gate, verb_wait, verb_show,
	verb_list, verb_answer, verb_skip, verb_cancel, verb_watch, verb_inbox, verb_host,
	verb_mcp, verb_connect, verb_hook, verb_login, verb_logout, verb_doctor,
	verb_completion, verb_help, verb_pause, verb_resume, verb_take_back,
	verb_rule_list, verb_rule_add, verb_rule_show, verb_rule_edit, verb_rule_try,
	verb_rule_end, verb_rule_export, verb_rule_apply, verb_policy, verb_away,
	verb_contact, verb_route, verb_slack_manifest, verb_run, verb_runs, verb_sessions,
	verb_session_delete, verb_projects, verb_attach, verb_usage;

#endif
