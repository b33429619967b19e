/* ask_counts.c - how many asks were settled: by whom and how, for the views of the history. */
#include "desk/ask/ask_filter.h"

enum { COUNTED_MAX = 10000 };

static const char *const names[] = { "all", "mine", "by_people", "by_rules", "rejected",
	"expired" };
enum { NAMES_LEN = sizeof names / sizeof *names };

static enum err counts_row(void *ctx, const struct row *row, struct fault *why)
{
	int64_t *counts = ctx;

	(void)why;
	for (int i = 0; i < NAMES_LEN; i++)
		counts[i] = row_int(row, i);
	return OK;
}

static enum err ask_counts_read(struct job *job, struct rows *rows, struct fault *why)
{
	struct task *t = task_of(job);
	struct settled_filter settled = { .status = STR("settled") };
	struct val args[ASK_FILTER_LEN + 2 + SETTLED_FILTER_LEN];
	int64_t counts[NAMES_LEN] = { 0 };
	struct json_writer w = { .out = &job->out };
	enum err e = ask_filter_settled(t, &settled, why);

	if (ask_filter_read(t, rows, principal_person(&job->who).len > 0, args, why))
		e = why->err;
	args[1] = val_int(COUNTED_MAX);
	args[10] = val_int(2); /* what one has snoozed was settled all the same */
	args[11] = args[12] = val_int(0);
	ask_filter_put(&settled, args + ASK_FILTER_LEN + 2);
	if (!e)
		e = rows_query(rows, SQL_ASKS_COUNTED, args, sizeof args / sizeof *args,
			counts_row, counts, why);
	if (e) return e;
	jw_object(&w);
	for (int i = 0; i < NAMES_LEN; i++)
		jw_put_int(&w, names[i], counts[i]);
	jw_put_bool(&w, "capped", counts[0] == COUNTED_MAX);
	jw_object_end(&w);
	return OK;
}

const struct use use_ask_counts = READS("ask_counts", 0, 0, ask_counts_read, NULL);
