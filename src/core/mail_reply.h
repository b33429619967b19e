/* mail_reply.h - what a person wrote above the quote, and what it means for an ask. Pure. */
#ifndef CORE_MAIL_REPLY_H
#define CORE_MAIL_REPLY_H

#include "core/ask.h"

/* How the line begins, and ends, above which an answer is written. */
#define MAIL_RULE "-=-=-"

#endif
