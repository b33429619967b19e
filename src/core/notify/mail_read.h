/* mail_read.h - a message that somebody sent: bounded, pure, as little of it as a reply needs. Who
 * it is from and for, whether a program wrote it, who vouches for its sender, and its text.
 *
 * 1. Nothing here fails half: a message is read, is none, or is beyond the bounds.
 * 2. Texts are UTF-8 and live in the arena or borrow from `raw`.
 * 3. Charsets are those of a list. glibc knows many more, and not all of its decoders are safe. */
#ifndef CORE_MAIL_READ_H
#define CORE_MAIL_READ_H

#include "base/arena.h"
#include "base/buf.h"

enum {
	MAIL_IN_MAX = 1 << 20,
	MAIL_PARTS_MAX = 50,
	MAIL_DEPTH_MAX = 8,
	MAIL_HEADERS_MAX = 1000,
};

enum mail_state { MAIL_READ, MAIL_NONE, MAIL_BEYOND };

struct mail_field {
	struct str name;
	struct str value; /* as it came, folded */
};

struct mail_in {
	struct mail_field *fields; /* of the head, from its top */
	size_t fields_len;
	struct str from; /* the address of its one author; empty: none, or several */
	bool automatic;	 /* a program wrote it: a report, an answer of a robot, a list */
	struct str text; /* the first that is plain, else made from HTML */
	struct str *rcpts; /* whom it is for, as the last server says first */
	size_t rcpts_len;
};

/* MAIL_NONE also when memory runs out: arena.failed says so. */
enum mail_state mail_read(struct str raw, struct arena *, struct mail_in *out);
/* Does the topmost Authentication-Results of this name say dmarc=pass for From's domain? What
 * stands further down anybody can have written. */
bool mail_vouched(const struct mail_in *, struct str authserv, struct arena *);
/* The addresses of a header field; of groups, and beyond `max`, none. */
size_t mail_addresses(struct str value, struct arena *, struct str *out, size_t max);
/* HTML as a person sees it, in lines; a quote becomes a line that begins with '>'. */
void mail_unhtml(struct buf *, struct str html);

#endif
