/* mcp_config.h - how other programs are told of this MCP server. */
#ifndef CLI_MCP_CONFIG_H
#define CLI_MCP_CONFIG_H

#include "base/arena.h"
#include "base/buf.h"

/* A client's configuration: for a program that it starts, or for a server that it reaches
 * by HTTP. In these texts {command} and {url} stand for JSON strings. */
struct mcp_config {
	const char *client;
	const char *file; /* where it belongs */
	const char *local;
	const char *remote;
};
extern const struct mcp_config mcp_configs[]; /* up to one without a client */

/* A path that another program can start us by. */
struct str own_path(struct arena *);
const struct mcp_config *mcp_config_find(struct str client); /* NULL: there is none */
/* "claude, codex, …" */
void mcp_config_names(struct buf *);
/* With a `url` (of the server, without /mcp) the remote form, else the local one. */
void mcp_config_write(
	const struct mcp_config *, struct str command, struct str url, struct buf *out);

#endif
