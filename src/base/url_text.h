/* url_text.h - web addresses as text. Prefix: url_. */
#ifndef BASE_URL_TEXT_H
#define BASE_URL_TEXT_H

#include "base/buf.h"

/* Percent-encodes all but unreserved characters, for a path, a query or a form. */
void url_add(struct buf *, struct str);
/* "http://host:1" of "http://host:1/login#x": scheme and authority; empty when it is
 * none. */
struct str url_origin(struct str url);

#endif
