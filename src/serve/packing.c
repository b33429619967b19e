/* packing.c - replies to GET, compressed as their client takes them. Prefix: packing_.
 *
 * Only what was read is compressed, and nothing that was just made: tokens, login links and other secrets are
 * shown by the POST that makes them, once (docs/SECURITY.md, "Compression"). Streams and waits go as they are. */
#include "serve/inner.h"

#include "base/id.h"

#include <stdio.h>

/* Shorter ones take a packet or two as they are. */
enum { PACK_FROM = 2048 };

void packing_choose(struct request *r)
{
	const struct http_request *h = r->x ? http_request(r->x) : NULL;

	r->packing = (struct packing){ .may = h && r->route &&
					      strcmp(r->route->method, "GET") == 0 };
	if (r->packing.may)
		r->packing.choice =
			coding_choose(http_header(h, "accept-encoding"), CODING_ZSTD);
}

void packing_write(struct request *r)
{
	const struct coding_choice *choice = &r->packing.choice;
	struct job *job = &r->task.job;
	struct buf packed = { 0 };

	if (choice->coding == CODING_PLAIN || job->err || job->out.failed) return;
	if (job->out.len < PACK_FROM && !choice->plain_refused) return;
	if (coder_write(r->serve->coder, choice->coding, buf_str(&job->out), &packed) &&
		(packed.len < job->out.len || choice->plain_refused)) {
		struct buf plain = job->out;

		job->out = packed;
		packed = plain;
		r->packing.done = true;
	}
	buf_done(&packed);
}

struct str packing_lines(const struct request *r, char out[PACKING_LINES])
{
	static const char padding[] = "0000000000000000000000000000000000000000000000000"
				      "00000000000000000000000000000000000000000000000000"
				      "0000000000000000000000000000";
	int len;

	if (!r->packing.may) return STR_NONE;
	if (!r->packing.done) return STR(API_HEADERS "Vary: Accept-Encoding\r\n");
	/* How long a reply is tells little of what is in it. */
	len = snprintf(out, PACKING_LINES,
		API_HEADERS "Vary: Accept-Encoding\r\nContent-Encoding: %s\r\n"
			    "X-Padding: %.*s\r\n",
		coding_name(r->packing.choice.coding),
		(int)(random_u64(NULL) % sizeof padding), padding);
	return str_make(out, (size_t)len);
}
