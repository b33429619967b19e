/* mail_token.h - tokens in addresses that mail carries: where a reply goes, and the link that
 * mutes a contact. A token names a record and proves that we wrote it; it is no login. */
#ifndef CORE_MAIL_TOKEN_H
#define CORE_MAIL_TOKEN_H

#include "base/id.h"
#include "base/str.h"

/* 26 characters of the record's id, and 24 of an HMAC over it. */
enum { MAIL_TOKEN_LEN = 50, MAIL_TOKEN_SIZE = MAIL_TOKEN_LEN + 1 };

/* `id` is "dlv_…" for a reply, "con_…" for a mute. */
void mail_token_write(struct str key, struct str id, char out[MAIL_TOKEN_SIZE]);
/* Case does not matter: mail servers change it. False: we did not write it. */
bool mail_token_read(
	struct str key, const char *prefix, struct str token, char id[ID_SIZE]);
/* The token in an address that was made from `reply` ("parley+{token}@example.org"); empty:
 * it is not made from it. */
struct str mail_token_find(struct str reply, struct str address);

#endif
