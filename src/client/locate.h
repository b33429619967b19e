/* locate.h - where the server is, and the credential for it. Owns the login file.
 *
 * A secret is only ever sent to the server it belongs to: the local agent's token to the
 * address in server.json, a login to the address it was made at. */
#ifndef CLIENT_LOCATE_H
#define CLIENT_LOCATE_H

#include "base/arena.h"
#include "base/fault.h"

/* server.json of the data directory, as a running server writes it. */
struct server_info {
	struct str url;
	struct str socket; /* for administration; empty: none */
	int64_t pid;
};
/* ERR_NOT_FOUND: there is none. */
enum err server_info_read(
	struct str data, struct arena *, struct server_info *out, struct fault *why);

/* A person's login at one server. */
struct login {
	struct str url;
	struct str cookie;
};
/* ERR_NOT_FOUND: nobody is logged in. ERR_FORBIDDEN: others can read the file. */
enum err login_read(struct arena *, struct login *out, struct fault *why);
enum err login_write(const struct login *, struct fault *why);
enum err login_remove(struct fault *why); /* fine when there is none */

enum as { AS_AGENT, AS_PERSON };

/* What was said by flags and settings, and what comes out of it. */
struct locate {
	struct str url;	  /* given; empty: find it */
	struct str hint;  /* where it may be, when nothing better is known */
	struct str token; /* given; empty: find one */
	struct str data;  /* the data directory */
	enum as as;
};
struct located {
	struct str url;
	struct str token;  /* Bearer */
	struct str cookie; /* instead of it: a person's login */
};
/* As a person: where the login is, then the server on this machine, then the hint; with
 * the token given, else the login, else the agent's token (which may look, not answer).
 * As an agent: this machine, the hint, the login's place; with the token given, else the
 * agent's token, else the login. No token at all is no error here: the server says so.
 * ERR_NOT_FOUND: no server is known. */
enum err locate(
	const struct locate *, struct arena *, struct located *out, struct fault *why);

/* "$XDG_CONFIG_HOME/parley/<name>", or under ~/.config. NULL: no home. NUL-terminated. */
const char *config_path(struct arena *, const char *name);
/* A whole file of at most `max` bytes. With `secret`, ERR_FORBIDDEN when others may
 * read. */
enum err file_read(const char *path, size_t max, bool secret, struct arena *,
	struct str *out, struct fault *why);

#endif
