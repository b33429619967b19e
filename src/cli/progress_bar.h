/* progress_bar.h - how far a long command has come, on the terminal's own line. */
#ifndef CLI_PROGRESS_BAR_H
#define CLI_PROGRESS_BAR_H

#include "base/progress.h"
#include "cli/cli.h"

struct progress_bar {
	/* For whoever reports progress; NULL when standard error is no terminal. */
	progress_fn *draw;
	const char *label; /* what is being done, in the person's language */
	int percent;	   /* the share that was drawn last; -1: none */
	size_t width;
};

/* `label`: the name of a message. */
struct progress_bar progress_bar(struct cli *, const char *label);
void progress_bar_end(struct progress_bar *); /* leaves the line empty */

#endif
