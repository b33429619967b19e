/* slack_sign_in.h - tries the tokens of the Slack app. */
#ifndef CLI_VERB_SLACK_SIGN_IN_H
#define CLI_VERB_SLACK_SIGN_IN_H

#include "cli/settings.h"

/* The name of the Slack workspace, in the arena. ERR_UNAVAILABLE with what Slack, or the way to it,
 * said instead. */
enum err slack_sign_in(
	const struct settings *, struct arena *, struct str *team, struct fault *why);
/* Opens the socket and closes it. */
enum err slack_socket_try(const struct settings *, struct arena *, struct fault *why);

#endif
