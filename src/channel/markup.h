/* markup.h - text that others read as markup, so written that it stays text. */
#ifndef CHANNEL_MARKUP_H
#define CHANNEL_MARKUP_H

#include "base/buf.h"

/* &, < and > as HTML and Slack write them. */
void markup_escape(struct buf *, struct str);
/* The same with quotes, for an attribute, too; without control bytes but line ends and tabs. */
void markup_html(struct buf *, struct str);

#endif
