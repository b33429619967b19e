/* mail_decode.h - the encodings of mail taken off: header values, addresses, bodies. Private to
 * core. */
#ifndef CORE_MAIL_DECODE_H
#define CORE_MAIL_DECODE_H

#include "core/notify/mail_read.h"

/* Without comments, quotes and folds: "multipart/mixed; boundary=a b". What stood in quotes has no
 * ';' any more, so that it cannot pass for another parameter. */
struct str mail_plain_value(struct str, struct arena *);
/* The same with what stood in quotes left out, and no blanks around '='. */
struct str mail_results_value(struct str, struct arena *);
/* A body as UTF-8, its lines ended by \n. */
struct str mail_decode(
	struct str body, struct str encoding, struct str charset, struct arena *);

#endif
