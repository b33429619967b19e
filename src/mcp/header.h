/* header.h - the header Mcp-Name of a stateless request: what it repeats of the body, and
 * how it is spelt. For both ends of the wire. */
#ifndef MCP_HEADER_H
#define MCP_HEADER_H

#include "base/arena.h"
#include "base/json.h"

/* Must a request of this method have it? Then what it repeats; *subject may be empty. */
bool header_subject(struct str method, const struct json *params, struct str *subject);
/* "=?base64?…?=" where a header cannot carry the text as it is. */
struct str header_encode(struct str text, struct arena *);
bool header_decode(struct str value, struct arena *, struct str *out); /* false: spoilt */

#endif
