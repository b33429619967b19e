/* progress_bar.c - draws a share of 40 signs, again only when it has changed. */
#include "cli/progress_bar.h"

#include "base/utf8.h"

#include <stdio.h>

enum { SIGNS = 40 };

static void bar_draw(void *ctx, int64_t done, int64_t all)
{
	struct progress_bar *bar = ctx;
	int percent = all > 0 ? (int)(done * 100 / all) : 100, filled;

	if (percent > 100) percent = 100;
	if (percent == bar->percent) return;
	bar->percent = percent;
	filled = percent * SIGNS / 100;
	fprintf(stderr, "\r%s [%.*s%*s] %3d %%", bar->label, filled,
		"########################################", SIGNS - filled, "", percent);
	fflush(stderr);
}

struct progress_bar progress_bar(struct cli *cli, const char *label)
{
	struct str text = MSG(&cli->arena, label);

	return (struct progress_bar){ .draw = cli->term.err_tty ? bar_draw : NULL,
		.label = text.at,
		.percent = -1,
		.width = utf8_count(text) + SIGNS + 9 };
}

void progress_bar_end(struct progress_bar *bar)
{
	if (bar->percent >= 0) fprintf(stderr, "\r%*s\r", (int)bar->width, "");
}
