/* policy.c - how long one decision takes with 2,000 rules: the operation looked at, its risk,
 * the ruling; at last with 20 mandates of its session, too, none of which fits. Prints a line for each
 * kind of set. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "core/policy/mandate.h"
#include "core/policy/policy.h"

enum { RULES = 2000, ROUNDS = 40000 };

static const int64_t NOW_MS = 1000000;

typedef void rule_fn(struct buf *, int n);

static const char *const tools[] = { "Read", "Write", "WebFetch", "mcp__github__get",
	"Deploy", "Grep" };
static const char *const effects[] = { "allow", "ask", "deny", "allow" };

static void rule_mixed(struct buf *b, int n)
{
	buf_print(b, "{\"effect\":\"%s\",\"match\":{\"tool\":[", effects[n % 4]);
	if (n % 2)
		buf_print(b, "\"Bash(cmd%d sub%d *)\"", n / 7, n % 7);
	else
		buf_print(b, "\"%s(/srv/%d/*)\"", tools[n / 2 % 2], n);
	buf_print(b, "],\"agent\":\"ci-%d\",\"project\":\"web-%d\"}}", n % 50, n % 20);
}

static void rule_one_command(struct buf *b, int n)
{
	buf_print(b,
		"{\"effect\":\"%s\",\"match\":{\"tool\":[\"Bash(npm run task-%d *)\"]}}",
		effects[n % 4], n);
}

static void rule_same(struct buf *b, int n)
{
	buf_print(b,
		"{\"effect\":\"allow\",\"match\":{\"same\":\"sha256:%064d\",\"agent\":\"ci-%d\","
		"\"project\":null}}",
		n, n % 50);
}

static void rule_where(struct buf *b, int n)
{
	buf_print(b,
		"{\"effect\":\"ask\",\"match\":{\"agent\":\"team-%d-*\",\"risk\":{\"min\":"
		"\"high\"}}}",
		n);
}

static void rule_name(struct buf *b, int n)
{
	buf_print(b, "{\"effect\":\"deny\",\"match\":{\"tool\":[\"mcp__server%d__*\"]}}",
		n);
}

static void rule_inner(struct buf *b, int n)
{
	buf_print(b, "{\"effect\":\"deny\",\"match\":{\"tool\":[\"Bash(*--flag%d*)\"]}}",
		n);
}

static const struct {
	const char *name;
	rule_fn *make;
} kinds[] = {
	{ "mixed tools, agents, projects", rule_mixed },
	{ "all of one command", rule_one_command },
	{ "all `same`", rule_same },
	{ "all by agent alone", rule_where },
	{ "all of MCP servers", rule_name },
	{ "all beginning with a star", rule_inner },
	{ "mixed, and 20 mandates", rule_mixed },
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static struct mandate_lines mandates[MANDATES_MAX];

static const char *const operations[] = {
	"{\"name\":\"Bash\",\"arguments\":{\"command\":\"npm run task-1234 --watch\"}}",
	"{\"name\":\"Bash\",\"arguments\":{\"command\":\"cmd77 sub3 x && git status\"}}",
	"{\"name\":\"Bash\",\"arguments\":{\"command\":\"cd /srv/app && npm test -- --grep "
	"'user login' 2>&1 | tail -40\"}}",
	"{\"name\":\"Bash\",\"arguments\":{\"command\":\"sudo -u deploy env A=1 make release\"}}",
	"{\"name\":\"Read\",\"arguments\":{\"file_path\":\"/srv/1000/a/b.txt\"}}",
	"{\"name\":\"WebFetch\",\"arguments\":{\"url\":\"https://example.com/a\"}}",
	"{\"name\":\"mcp__server1999__query\",\"arguments\":{\"sql\":\"select 1\",\"limit\":10}}",
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void die(const char *why)
{
	fprintf(stderr, "policy: %s\n", why);
	exit(1);
}

static const struct json *parse(const char *text, struct arena *arena)
{
	const struct json *json;

	if (json_read(str_of(text), NULL, arena, &json, NULL)) die("not JSON");
	return json;
}

static struct rule_set *set_make(
	rule_fn *make, struct rule_record *rules, struct arena *arena)
{
	struct rule_set *set = rule_set_new();

	for (int i = 0; i < RULES; i++) {
		struct buf b = { 0 };
		struct fault why = { 0 };

		make(&b, i);
		if (rule_read(parse(arena_copy(arena, buf_str(&b)), arena), NULL, NULL,
			    NOW_MS, arena, &rules[i], &why) ||
			rule_set_add(set, &rules[i], &why))
			die(why.detail);
		buf_done(&b);
	}
	if (rule_set_seal(set, NULL)) die("out of memory");
	return set;
}

/* Of this thread alone: what the processor does for others meanwhile does not count. */
static int64_t cpu_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

static void mandates_make(struct arena *arena)
{
	for (int i = 0; i < MANDATES_MAX; i++) {
		struct buf b = { 0 };

		for (int k = 0; k < MANDATE_LINES_MAX; k++)
			buf_print(&b,
				"%s{\"key\":\"l%d\",\"tool\":[\"mcp__bank%d__pay\"],\"uses\":9,"
				"\"sum\":{\"pointer\":\"/n\",\"max\":5}}",
				k ? "," : "[", k, k + i);
		buf_add_char(&b, ']');
		if (!mandate_lines_load(
			    arena_str(arena, buf_str(&b)), arena, &mandates[i]))
			die("mandate");
		buf_done(&b);
	}
}

/* As desk/policy/mandate_draw.c does before it looks at a row. */
static void mandates_try(
	const struct operation_view *look, enum risk risk, struct arena *arena)
{
	static const struct mandate_count none[MANDATE_LINES_MAX];
	amount takes;

	for (int i = 0; i < MANDATES_MAX; i++)
		if (mandate_fit(&mandates[i], none, look, risk, arena, &takes) >= 0)
			die("a mandate that fits");
}

static int64_t decide_ns(struct rule_set *set, const struct policy *policy,
	const struct json *operation, bool bundles)
{
	struct arena arena = { 0 };
	struct operation_view look;
	struct ruling out;
	int64_t start = cpu_ns();

	operation_view(&look, operation, NULL, STR("ci-7"), STR("web-7"),
		STR("ses_00000000000000000000000000"), &arena);
	rule_set_decide(set, &look, policy_risk(policy, &look), NOW_MS, 0, &arena, &out);
	if (bundles) mandates_try(&look, policy_risk(policy, &look), &arena);
	arena_done(&arena);
	return cpu_ns() - start;
}

static int cmp(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

int main(void)
{
	static struct rule_record rules[RULES];
	static int64_t ns[ROUNDS];
	struct arena arena = { .max = 1 << 30 };
	const struct json *parsed[OPERATIONS];
	struct policy policy;

	if (policy_parse(str_of(policy_default), &arena, &policy, NULL)) die("policy");
	for (int i = 0; i < OPERATIONS; i++)
		parsed[i] = parse(operations[i], &arena);
	printf("%-32s %9s %9s %9s %12s\n", "2,000 rules", "p50 us", "p99 us", "p99.9 us",
		"parsing ms");
	mandates_make(&arena);
	for (size_t k = 0; k < KINDS; k++) {
		int64_t start = clock_mono_ns();
		struct rule_set *set = set_make(kinds[k].make, rules, &arena);
		double parsing = (double)(clock_mono_ns() - start) / 1e6;

		for (int i = 0; i < ROUNDS; i++)
			ns[i] = decide_ns(
				set, &policy, parsed[i % OPERATIONS], k == KINDS - 1);
		qsort(ns, ROUNDS, sizeof *ns, cmp);
		printf("%-32s %9.2f %9.2f %9.2f %12.1f\n", kinds[k].name,
			(double)ns[ROUNDS / 2] / 1e3, (double)ns[ROUNDS * 99 / 100] / 1e3,
			(double)ns[ROUNDS * 999 / 1000] / 1e3, parsing);
		rule_set_free(set);
	}
	arena_done(&arena);
	return 0;
}
