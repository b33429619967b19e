/* export.h - the log of a workspace handed out: lines of JSON that are written while they are read, and
 * checked without us. The events are a chain, receipts are signed, and so is the last line. Pure. */
#ifndef CORE_EXPORT_H
#define CORE_EXPORT_H

#include "core/proof/receipt.h"

#define EXPORT_TYP "parley-export"

/* 0 or empty: not asked for. */
struct export_filter {
	int64_t from_ms, to_ms;
	struct str project;
};

/* What was written, or read, since the last head. */
struct export_sums {
	int64_t events, asks, receipts;
	int64_t last;		    /* the number of the last event */
	uint8_t hash[SHA256_SIZE];  /* its hash */
	uint8_t lines[SHA256_SIZE]; /* of each line with its end, over the one before */
};

/* ---- written ---- */

/* {"from", "to", "project"} */
void export_filter_write(struct json_writer *, const struct export_filter *);
/* Each appends one line. */
void export_head_write(struct buf *, struct export_sums *, struct str workspace,
	int64_t ws, const struct export_filter *);
/* `hidden`: of another project. */
void export_event_write(
	struct buf *, struct export_sums *, const struct event *, int form, bool hidden);
/* JSON as it is. */
void export_ask_write(struct buf *, struct export_sums *, struct str ask);
void export_receipt_write(struct buf *, struct export_sums *, struct str receipt);
/* False: the key does not work. */
bool export_end_write(struct buf *, const struct export_sums *, int64_t at_ms,
	const struct jws_signer *, struct arena *);

/* ---- checked ---- */

/* What is wrong with a line. */
enum export_wrong {
	EXPORT_RIGHT,
	EXPORT_SHAPE,	/* it is no line of an export, or not one that may stand there */
	EXPORT_PART,	/* a head that does not go on where the part before it ended */
	EXPORT_CHAIN,	/* an event that does not follow from the one before */
	EXPORT_DATA,	/* its data was changed */
	EXPORT_ASK,	/* an ask that is not the one of its event */
	EXPORT_RECEIPT, /* `word` says why */
	EXPORT_COUNTS,	/* the end counts something else */
	EXPORT_LINES,	/* a line was changed, which the end tells */
	EXPORT_END,	/* its signature: `word` */
	EXPORT_CUT,	/* there is no end */
};
const char *export_wrong_name(enum export_wrong);

struct export_check {
	const struct proof_keys *keys;
	struct arena kept; /* what the first head says */
	struct str workspace, filter;
	int64_t ws;
	int64_t line, at;		/* how many were right, and bytes of them */
	int64_t events, asks, receipts; /* of all parts */
	struct export_sums sums;	/* of this part */
	uint8_t before[SHA256_SIZE];	/* hash of the event before the last */
	struct str ask, type;		/* of the last event */
	char ask_room[64], type_room[64];
	enum {
		EXPORT_AT_START,
		EXPORT_AT_HEAD,
		EXPORT_AT_EVENT,
		EXPORT_AT_ASK,
		EXPORT_AT_RECEIPT,
		EXPORT_AT_END
	} state;
	enum proof_word word; /* of what is wrong with a signature */
	/* Where a stream that was cut goes on: bytes that stay, and the event behind which it does. */
	int64_t keep, after;
};

/* One line without its end. After the first that is wrong nothing is read any more. */
enum export_wrong export_check_line(
	struct export_check *, struct str line, struct arena *scratch);
/* After the last one. */
enum export_wrong export_check_over(const struct export_check *);
void export_check_done(struct export_check *);

#endif
