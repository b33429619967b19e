/* server.h - the verb `serve`: from settings to a running server, and down again. */
#ifndef SERVER_H
#define SERVER_H

#include "cli/cli.h"

struct mcp_offer;

extern const struct command serve_verbs[]; /* for cli_main */
/* The same, with other tables for MCP clients: for programs of their own. */
int server_run(struct cli *, const struct mcp_offer *);

#endif
