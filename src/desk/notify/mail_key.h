/* mail_key.h - the key that tokens in mail are made with. Private to desk. */
#ifndef DESK_MAIL_KEY_H
#define DESK_MAIL_KEY_H

#include "desk/shared/inner.h"

/* Empty: nothing was made with it so far. */
enum err mail_key(struct rows *, struct str *out, struct fault *);

#endif
