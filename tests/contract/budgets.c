/* budgets.c - random trees of runs with limits of cost or tokens: sub-agents at once, estimates that are
 * wrong, calls that are given up, processes that die, on two nodes. PARLEY_LONG=1 plays 10,000. */
#include "run_kit.h"

#include "base/clock.h"
#include "core/run/budget.h"
#include "random.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MODELS = 8, PAYERS = 12, HANDS = 64, STEPS_MAX = 600 };

/* What the test itself counts of a tree. */
struct tree {
	char session[ID_SIZE], run[ID_SIZE];
	int64_t cost_max, tokens_max; /* limits; 0: none */
	int64_t cost, tokens;	      /* used */
	/* By how much inputs were longer than was held for them; the dearest output of one call. */
	int64_t excess_cost, excess_tokens, output_cost, output_tokens;
	struct held hands[HANDS];
	size_t len;
	bool given_up; /* a call of it was */
};

static struct price prices[MODELS];
static uint64_t seed;
static int64_t now_ms,
	over; /* over: trees that passed their limit, by less than is allowed */

static int64_t below(int64_t n)
{
	return (int64_t)random_below(&seed, (uint64_t)n);
}

static void make(struct rig *r, const struct use *use, const char *body)
{
	struct outcome o;

	if (rig_do(r, &(struct request){ use, r->ada, .body = body }, &o))
		fail_msg("%s: %s", body, o.task.job.why.detail);
	outcome_done(&o);
}

static void furnish(struct rig *r)
{
	char body[4096];
	int at = snprintf(body, sizeof body,
		"{'name':'money','kind':'openai','url':'http://127.0.0.1:9/v1','models':[");

	for (int i = 0; i < MODELS; i++) {
		int64_t in = 1 + below(10), out = in * (1 + below(6));

		at += snprintf(body + at, sizeof body - (size_t)at,
			"%s{'id':'m%d','context':200000,'output':%lld,'price':"
			"{'input':%lld,'output':%lld,'cache_write':%lld}}",
			i ? "," : "", i, (long long)(300 + below(20000)), (long long)in,
			(long long)out, (long long)in);
		prices[i].base = (struct price_set){ in * 1000, out * 1000, in * 1000,
			in * 1000, in * 1000 };
	}
	snprintf(body + at, sizeof body - (size_t)at, "]}");
	make(r, &use_provider_create, body);
	for (int i = 0; i < MODELS; i++) {
		snprintf(body, sizeof body,
			"{'name':'hand%d','provider':'money','model':'m%d','tools':['todo'],"
			"'on_error':'fail','on_limit':'stop'}",
			i, i);
		make(r, &use_agent_create, body);
	}
	for (int i = 0; i < PAYERS; i++) {
		long cents = 1 + (long)below(60), tokens = 4000 + (long)below(200000);
		char limit[64];

		if (i % 3)
			snprintf(limit, sizeof limit, "'cost_usd':0.%03ld", cents * 10);
		else
			snprintf(limit, sizeof limit, "'tokens':%ld", tokens);
		snprintf(body, sizeof body,
			"{'name':'payer%d','provider':'money','model':'m%d','tools':"
			"['todo','parallel_tasks'],'on_error':'fail','on_limit':'stop',"
			"'limits':{%s},'validation':{'mode':'auto','always_confirm_high':false}}",
			i, i % MODELS, limit);
		make(r, &use_agent_create, body);
	}
}

/* ---- what holds at every moment ---- */

/* Everything that is held for calls, and was used, is within the limits. */
static void paid(const struct tree *t)
{
	int64_t cost = t->cost, tokens = t->tokens;

	for (size_t i = 0; i < t->len; i++)
		if (t->hands[i].step == RUN_STEP_MODEL) {
			cost += t->hands[i].hold.cost;
			tokens += t->hands[i].hold.tokens;
			assert_true(t->hands[i].hold.output >= BUDGET_OUTPUT_MIN);
		}
	if (t->cost_max) assert_true(cost <= t->cost_max + t->excess_cost);
	if (t->tokens_max) assert_true(tokens <= t->tokens_max + t->excess_tokens);
}

/* ---- what may happen ---- */

static void drop(struct tree *t, size_t i)
{
	t->hands[i] = t->hands[--t->len];
}

static void claim(struct rig *r, struct tree *t, const char *by)
{
	if (t->len + 8 < HANDS)
		t->len += run_rig_claim(r, by, t->hands + t->len, 1 + (size_t)below(8));
}

static void counted(struct tree *t, const struct usage *u, int64_t cost)
{
	t->cost += cost;
	t->tokens += spending_usage_total(u);
}

/* A call that used this much: some more or less than was held for it. */
static struct usage used(struct tree *t, const struct held *h, int64_t most)
{
	int64_t held = h->hold.input,
		wrong = below(10) ? 20 + below(81) : 100 + below(15);
	struct usage u = { .input = held * wrong / 100, .output = most };
	int64_t more = u.input > held ? u.input - held : 0;

	if (below(4)) u.output = below(most + 1);
	t->excess_tokens += more;
	t->excess_cost += usage_cost(&(struct usage){ .input = more }, &h->price);
	return u;
}

static const char *tasks(char out[2048])
{
	int n = 1 + (int)below(8);
	int at = snprintf(out, 2048, "[");

	at += snprintf(out + at, 2048 - (size_t)at,
		"{'type':'tool_call','id':'t1','name':'parallel_tasks','arguments':{'tasks':[");
	for (int i = 0; i < n; i++)
		at += snprintf(out + at, 2048 - (size_t)at,
			"%s{'agent':'hand%d','task':'Do it'}", i ? "," : "",
			(int)below(MODELS));
	snprintf(out + at, 2048 - (size_t)at, "]}}]");
	return out;
}

static void says(struct rig *r, struct tree *t, size_t i)
{
	struct held *h = &t->hands[i];
	char text[2048];
	int what = (int)below(4);
	int64_t most = h->hold.output;

	if (below(6) == 0) { /* a stream broke off before; both share what is held */
		most /= 2;
		h->usage = used(t, h, most);
		h->usage.input = 0;
		h->wasted = (struct spending){ .calls = 1 };
		spending_add(&h->wasted, &h->usage, usage_cost(&h->usage, &h->price));
		counted(t, &h->usage, h->wasted.cost);
	}
	h->usage = used(t, h, most);
	h->cost = usage_cost(&h->usage, &h->price);
	h->counted = true;
	counted(t, &h->usage, h->cost);
	if (h->usage.output > t->output_tokens) t->output_tokens = h->usage.output;
	if (h->usage.output * h->price.base.output > t->output_cost)
		t->output_cost = h->usage.output * h->price.base.output;
	assert_int_equal(run_rig_turn(r, h,
				 what == 0		? "[" TEXT("done") "]"
				 : what < 3 || h->child ? "[" TODO "]"
							: tasks(text)),
		OK);
	if (h->step == RUN_STEP_REST) drop(t, i);
}

/* All that the process held is lost, and its successor says so. */
static void dies(struct rig *r, struct tree *t, const char *by, char node)
{
	const char name[2] = { node, 0 };
	struct run_yield y = { .by = STR("heir/1"), .node = str_of(name) };
	struct task task = { 0 };

	for (size_t i = t->len; i-- > 0;)
		if (strcmp(t->hands[i].by, by) == 0) drop(t, i);
	assert_int_equal(rig_tell(r, &use_run_yield, &task, &y), OK);
	rig_task_done(&task);
}

/* By a person: its worker gives the call up, and says later what it cost. */
static void cancelled(struct rig *r, struct tree *t, size_t i)
{
	struct held h = t->hands[i];
	struct run_wasted w = {
		.ws = h.ws, .run = str_of(h.run), .spent = { .calls = 1 }
	};
	struct usage u = used(t, &h, h.hold.output);
	struct task task = { 0 };
	int64_t cost = usage_cost(&u, &h.price);

	assert_int_equal(run_rig_cancel(r, h.run), OK);
	for (size_t k = t->len; k-- > 0;) /* a parent takes all along */
		if (strcmp(t->hands[k].run, h.run) == 0 || !h.child) drop(t, k);
	spending_add(&w.spent, &u, cost);
	assert_int_equal(rig_tell(r, &use_run_wasted, &task, &w), OK);
	rig_task_done(&task);
	counted(t, &u, cost);
	t->given_up = true;
	/* What others took of it meanwhile is known too late. */
	t->excess_cost += cost;
	t->excess_tokens += spending_usage_total(&u);
}

static void step(struct rig *r, struct tree *t)
{
	static const char *const by[] = { "a/1", "b/1" };
	int node = (int)below(2);
	size_t i;

	if (!t->len || below(3) == 0) claim(r, t, by[node]);
	if (below(40) == 0) dies(r, t, by[node], node ? 'b' : 'a');
	if (!t->len) {
		clock_set(now_ms += 1000);
		return;
	}
	i = (size_t)below((int64_t)t->len);
	if (t->hands[i].step != RUN_STEP_MODEL)
		drop(t, i);
	else if (below(60) == 0)
		cancelled(r, t, i);
	else if (below(30) == 0) {
		assert_int_equal(
			run_rig_trouble(r, &t->hands[i], TROUBLE_OVERLOADED), OK);
		drop(t, i);
	} else
		says(r, t, i);
	paid(t);
}

/* ---- what holds at the end ---- */

static void judge(struct rig *r, const struct tree *t)
{
	char sql[512];
	int64_t cost, tokens;

	cost = number(r, (snprintf(sql, sizeof sql,
				  "SELECT tree_cost FROM runs WHERE id = '%s'", t->run),
				 sql));
	tokens = number(
		r, (snprintf(sql, sizeof sql,
			    "SELECT tree_tokens FROM runs WHERE id = '%s'", t->run),
			   sql));
	assert_int_equal(cost, t->cost);
	assert_int_equal(tokens, t->tokens);
	snprintf(sql, sizeof sql, "SELECT SUM(cost) FROM runs WHERE session = '%s'",
		t->session);
	assert_int_equal(number(r, sql), t->cost);
	snprintf(sql, sizeof sql,
		"SELECT SUM(held_tokens + held_cost + tree_held_tokens + tree_held_cost)"
		" FROM runs WHERE session = '%s'",
		t->session);
	assert_int_equal(number(r, sql), 0);
	if (t->cost_max) {
		over += t->cost > t->cost_max;
		assert_true(t->cost <= t->cost_max + t->excess_cost);
		if (!t->given_up) assert_true(t->cost <= t->cost_max + t->output_cost);
	}
	if (t->tokens_max) {
		over += t->tokens > t->tokens_max;
		assert_true(t->tokens <= t->tokens_max + t->excess_tokens);
		if (!t->given_up)
			assert_true(t->tokens <= t->tokens_max + t->output_tokens);
	}
}

static int64_t member(struct rig *r, const char *run, const char *path, double *dollars)
{
	struct outcome o;
	int64_t n;

	assert_int_equal(
		rig_do(r, &(struct request){ &use_run_get, r->ada, run }, &o), OK);
	assert_true(outcome_read(&o));
	if (dollars) *dollars = json_real(json_at(o.json, path));
	n = int_at(o.json, path);
	outcome_done(&o);
	return n;
}

static bool ended(struct rig *r, const char *run)
{
	const char *status = run_rig_status(r, run);

	return strcmp(status, "completed") == 0 || strcmp(status, "failed") == 0 ||
	       strcmp(status, "cancelled") == 0;
}

static void play(struct rig *r, int payer)
{
	static struct tree t;
	char name[16];
	double dollars;

	t = (struct tree){ 0 };
	snprintf(name, sizeof name, "payer%d", payer);
	snprintf(t.session, sizeof t.session, "%s", run_rig_start(r, name, t.run).id);
	t.tokens_max = member(r, t.run, "limits.tokens", NULL);
	if (t.tokens_max < 0) t.tokens_max = 0;
	member(r, t.run, "limits.cost_usd", &dollars);
	if (!t.tokens_max) t.cost_max = (int64_t)(dollars * 1e9 + 0.5);
	for (int i = 0; i < STEPS_MAX && !ended(r, t.run); i++)
		step(r, &t);
	if (!ended(r, t.run)) run_rig_cancel(r, t.run);
	judge(r, &t);
}

static void trees_keep_their_limits(void **state)
{
	struct rig *r = *state;
	const char *given = getenv("PARLEY_SEED"), *full = getenv("PARLEY_LONG");
	int trees = full && *full == '1' ? 10000 : 100;

	seed = given ? strtoull(given, NULL, 10) : 20261118;
	print_message("seed %llu, %d trees\n", (unsigned long long)seed, trees);
	now_ms = CLOCK_START_MS;
	furnish(r);
	for (int i = 0; i < trees; i++)
		play(r, (int)below(PAYERS));
	print_message("%lld runs, %lld of them sub-agents, %lld at a limit; %lld calls; "
		      "%lld runs wasted some; %lld trees over their limit\n",
		(long long)number(r, "SELECT COUNT(*) FROM runs"),
		(long long)number(r, "SELECT COUNT(*) FROM runs WHERE parent <> ''"),
		(long long)number(
			r, "SELECT COUNT(*) FROM runs WHERE error LIKE '%limit%'"),
		(long long)number(
			r, "SELECT COUNT(*) FROM messages WHERE role = 'assistant'"),
		(long long)number(r, "SELECT COUNT(*) FROM runs WHERE wasted <> ''"),
		(long long)over);
}

int main(void)
{
	const struct CMUnitTest tests[] = { CLOCK_TEST(trees_keep_their_limits) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
