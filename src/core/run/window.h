/* window.h - what of a thread goes to a model whose context it does not fit in. Pure. */
#ifndef CORE_WINDOW_H
#define CORE_WINDOW_H

#include "core/run/estimate.h"
#include "core/run/summary.h"

enum { WINDOW_TURNS = 4, WINDOW_RESULT_MIN = 2048 };

/* What is shortened, from cut to cut: in between, what was sent stays as it is, so that prompt caches hold. */
struct window_cut {
	int64_t out; /* results of messages up to this number are left out */
	int64_t cut,
		each; /* those behind it, up to this one, have at most so many bytes */
};

enum window_step {
	WINDOW_FITS,
	WINDOW_SUMMARY,	 /* one is to be made first, of what `window` says */
	WINDOW_TOO_LONG, /* nothing more can be left out */
};

struct window {
	int64_t limit;	 /* tokens that the messages may have; 0: any number */
	int64_t history; /* how many they may be; 0: as many as there are */
	struct estimate_count count; /* of the model */
	struct window_cut cut;	     /* as it was; as it is to be */
	bool untold; /* no summary: it is only told that messages are left out */
	/* Of WINDOW_SUMMARY: the first `until` messages, those with numbers behind `after` up to `upto`,
	 * so many. */
	size_t until;
	int64_t after, upto, messages;
};

int64_t window_tokens(const struct estimate_count *, const struct sent *all, size_t len);
/* Shortens messages in the order of reading until they fit: results older than four turns are left out; then a
 * summary stands for what is before these turns; then the newest results are cut evenly. */
enum window_step window_fit(
	struct window *, struct sent *all, size_t len, struct str first, struct arena *);

#endif
