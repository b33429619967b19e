/* verbs_admin.h - the rows of the verbs that administer, for main.c. */
#ifndef CLI_VERB_VERBS_ADMIN_H
#define CLI_VERB_VERBS_ADMIN_H

#include "cli/cli.h"

extern const struct command verb_token_create, verb_token_list, verb_token_revoke,
	verb_user_create, verb_user_list, verb_user_login, verb_user_password,
	verb_user_remove, verb_user_disable, verb_user_enable, verb_team, verb_template,
	verb_workspace_create, verb_workspace_list, verb_mail_in, verb_backup, verb_check,
	verb_copy, verb_agents_list, verb_agents_show, verb_agents_test,
	verb_agents_import, verb_agents_remove, verb_providers_list, verb_providers_add,
	verb_providers_test, verb_providers_prices, verb_providers_remove,
	verb_delivery_list, verb_delivery_replay, verb_webhook_secret;

#endif
