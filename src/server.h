/* server.h - the verb `serve`: from settings to a running server, and down again. */
#ifndef SERVER_H
#define SERVER_H

#include "cli/cli.h"

extern const struct command verb_serve;

#endif
