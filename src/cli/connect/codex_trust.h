/* codex_trust.h - Codex runs a hook of its user's only when the configuration holds the
 * digest of that very hook: event, matcher, command and time-out. */
#ifndef CLI_CONNECT_CODEX_TRUST_H
#define CLI_CONNECT_CODEX_TRUST_H

#include "cli/connect/config_edit.h"

/* Fills name and value of the entry in hooks.state for the hook whose command contains
 * `known` in hooks.json, which is at `path`. False: there is none. */
bool codex_trust(const char *path, struct str hooks, const char *event, const char *known,
	struct arena *, struct config_change *);

#endif
