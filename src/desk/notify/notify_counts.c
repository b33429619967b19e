/* notify_counts.c - messages to people, counted for metrics once their report is committed: how
 * each ended, and how long after they were due they were taken. Of all workspaces of this node. */
#include "base/clock.h"
#include "desk/shared/inner.h"

static const char *const outcomes[] = { "taken", "retried", "dead", "dropped" };
static const int64_t buckets_ms[TELLING_BUCKETS] = { 50, 100, 250, 500, 1000, 5000,
	30000 };

static int outcome_of(const struct delivery_outcome *o)
{
	if (o->ending == ENDED_WELL) return 0;
	if (o->ending == ENDED_NOTHING) return 3;
	return o->dead ? 2 : 1;
}

void notify_count(struct desk *d, const struct delivery_outcome *o)
{
	const struct delivery *one = o->delivery;
	struct notify_counts *c = &d->told_counts;
	int64_t late_ms = clock_now_ms() - one->next_ms;

	if (o->ours) atomic_fetch_add(&c->ended[one->kind][outcome_of(o)], 1);
	if (!o->ours || !one->contact.len) return;
	atomic_fetch_add(&c->total[one->kind][one->purpose][outcome_of(o)], 1);
	if (o->ending != ENDED_WELL) return;
	if (late_ms < 0) late_ms = 0;
	atomic_fetch_add(&c->taken[one->kind], 1);
	atomic_fetch_add(&c->sum_ms[one->kind], late_ms);
	for (int i = 0; i < TELLING_BUCKETS; i++)
		if (late_ms <= buckets_ms[i])
			atomic_fetch_add(&c->under[one->kind][i], 1);
}

static void total_write(struct notify_counts *c, struct buf *out)
{
	buf_add_text(out,
		"# HELP parley_notify_total Messages to people, by how they ended.\n"
		"# TYPE parley_notify_total counter\n");
	for (int k = 0; k < DELIVERY_KINDS; k++)
		for (int p = 0; p < DELIVERY_PURPOSES; p++)
			for (int o = 0; o < TELLING_OUTCOMES; o++) {
				int64_t n = atomic_load(&c->total[k][p][o]);

				if (!n) continue;
				buf_print(out,
					"parley_notify_total{channel=\"%s\",purpose=\"%s\","
					"outcome=\"%s\"} %lld\n",
					delivery_kind_name((enum delivery_kind)k),
					delivery_purpose_name((enum delivery_purpose)p),
					outcomes[o], (long long)n);
			}
}

static void outcomes_write(struct notify_counts *c, struct buf *out)
{
	buf_add_text(out,
		"# HELP parley_deliveries_total Attempts to deliver, by how they ended.\n"
		"# TYPE parley_deliveries_total counter\n");
	for (int k = 0; k < DELIVERY_KINDS; k++)
		for (int o = 0; o < TELLING_OUTCOMES; o++) {
			int64_t n = atomic_load(&c->ended[k][o]);

			if (n)
				buf_print(out,
					"parley_deliveries_total{kind=\"%s\",outcome=\"%s\"} "
					"%lld\n",
					delivery_kind_name((enum delivery_kind)k),
					o ? outcomes[o] : "done", (long long)n);
		}
}

void notify_metrics(struct desk *d, struct buf *out)
{
	struct notify_counts *c = &d->told_counts;

	outcomes_write(c, out);
	total_write(c, out);
	buf_add_text(out, "# HELP parley_notify_seconds From due to taken.\n"
			  "# TYPE parley_notify_seconds histogram\n");
	for (int k = 0; k < DELIVERY_KINDS; k++) {
		const char *name = delivery_kind_name((enum delivery_kind)k);
		int64_t n = atomic_load(&c->taken[k]);

		if (!n) continue;
		for (int i = 0; i < TELLING_BUCKETS; i++)
			buf_print(out,
				"parley_notify_seconds_bucket{channel=\"%s\",le=\"%g\"} "
				"%lld\n",
				name, (double)buckets_ms[i] / 1000,
				(long long)atomic_load(&c->under[k][i]));
		buf_print(out,
			"parley_notify_seconds_bucket{channel=\"%s\",le=\"+Inf\"} %lld\n"
			"parley_notify_seconds_sum{channel=\"%s\"} %g\n"
			"parley_notify_seconds_count{channel=\"%s\"} %lld\n",
			name, (long long)n, name,
			(double)atomic_load(&c->sum_ms[k]) / 1000, name, (long long)n);
	}
}
