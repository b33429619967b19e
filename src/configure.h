/* configure.h - the agents, providers and the secret of this server's configuration. */
#ifndef CONFIGURE_H
#define CONFIGURE_H

#include "cli/settings.h"
#include "desk/run/configured.h"

/* Everything lives in the arena. Logs what keeps an agent from running. Makes the secret when
 * its file is missing. ERR_INVALID: the configuration is wrong, or a file with a key can be
 * read by others. */
enum err configure(const struct settings *, struct arena *, struct configured *out,
	struct fault *why);

#endif
