/* post.h - a request by HTTP, or a mail, for a delivery: sent, cut short, and what its reply means. */
#ifndef CHANNEL_POST_H
#define CHANNEL_POST_H

#include "channel/inner.h"

/* Sends it; the ctx of its functions is the delivery. Without a timeout it has the webhooks'. The delivery
 * is over at once where that fails. */
void post_send(struct claimed *, struct outbound_request);
/* To an address that an agent or a person chose: the operator must allow it (webhook_internal). */
void post_send_out(struct claimed *, struct outbound_request);
void post_cut(struct claimed *);
/* Ends the delivery as the status says: 2xx is well, anything else may be tried again. */
void post_over(struct claimed *, const struct outbound_reply *);
/* id, time and signatures, as Standard Webhooks has them. */
const char *const *webhook_headers(struct claimed *);

#endif
