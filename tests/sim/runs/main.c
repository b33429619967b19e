/* main.c - random histories of runs: three processes claim them, lose them, forget them and die; the model says
 * anything, or is out of order; tools of every class run, and some bring their results later; people answer,
 * interrupt and cancel; the clock jumps and the server is killed.
 *
 *	runs [HISTORIES [--seed S]]   each from a seed of its own; PARLEY_LONG=1: 20 times as many
 *
 * Beside it a model knows who holds which run, by what was claimed, renewed and taken away. Held against it:
 *
 * 1. A write is taken from the holder and from nobody else, to the letter.
 * 2. Every tool of the store was done as often as its turn was acknowledged.
 * 3. A call of class once begins at most once for each decision.
 * 4. A sub-agent has no sub-agent.
 * 5. What ended stays as it ended; with time and answers everything ends.
 * 6. A model in trouble is followed by its fallback, once; then the run waits, and nobody has it before its time.
 * 7. A result that comes later is taken once, and only while the call waits for it.
 * 8. The log fits (`parley check`). */
#include "base/clock.h"
#include "core/run/agent.h"
#include "random.h"
#include "raw_sql.h"
#include "run_rig.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RUNS = 400, HELD = 64, PROCESSES = 3, STEPS = 250, SESSIONS = 12, LATERS = 64 };
enum { LATER_MS = 60000 };

struct sim_run {
	char id[ID_SIZE];
	int holder; /* process, or -1 */
	int64_t attempt, until_ms;
	bool child;
	int starts;	 /* of its call of class once that are allowed */
	bool fell;	 /* it has its fallback */
	int64_t wake_ms; /* it waits on time until then; 0: it does not */
	char end[16];
};

/* A call whose result comes later. */
static struct later {
	char call[ID_SIZE], run[ID_SIZE], token[128];
	bool taken;
} laters[LATERS];

static struct sim_run runs[RUNS];
static struct process {
	char name[32];
	int lives;
	struct held held[HELD];
	size_t len;
} processes[PROCESSES];

static struct rig rig;
static uint64_t chance, seed;
static int runs_len, step, sessions, laters_len;
static int64_t now_ms, tasks, number_of;
static int outages, brought, hurried; /* in all histories */
static bool broken;

static int below(int n)
{
	return (int)random_below(&chance, (uint64_t)n);
}

__attribute__((format(printf, 1, 2))) static void breach(const char *format, ...)
{
	va_list args;

	if (broken) return;
	broken = true;
	printf("seed %" PRIu64 " breaks a promise at step %d: ", seed, step);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\nagain: build/tests/sim/runs 1 --seed %" PRIu64 "\n", seed);
}

/* ---- the model ---- */

static struct sim_run *run_of(const char *id, bool child)
{
	for (int i = 0; i < runs_len; i++)
		if (strcmp(runs[i].id, id) == 0) return &runs[i];
	if (runs_len == RUNS) abort();
	runs[runs_len] = (struct sim_run){ .holder = -1, .child = child };
	snprintf(runs[runs_len].id, ID_SIZE, "%s", id);
	return &runs[runs_len++];
}

static bool holds(const struct held *h, int process)
{
	const struct sim_run *r = run_of(h->run, h->child);

	return r->holder == process && r->attempt == h->attempt;
}

/* It rests, was taken away, or ended: nobody's. */
static void let_go(const char *id)
{
	run_of(id, false)->holder = -1;
}

static void held_drop(struct process *p, size_t i)
{
	p->held[i] = p->held[--p->len];
}

/* What came of a write of this process. False: it lost the run, and forgets it. */
static bool judged(int process, size_t i, enum err e, bool valid, const char *what)
{
	struct process *p = &processes[process];

	if (e != (valid ? OK : ERR_CONFLICT))
		breach("%s of %s, who %s: %d", what, p->held[i].run,
			valid ? "holds it" : "does not hold it", (int)e);
	if (e) {
		held_drop(p, i);
		return false;
	}
	if (p->held[i].step == RUN_STEP_REST) {
		let_go(p->held[i].run);
		held_drop(p, i);
	}
	return true;
}

/* ---- what happens ---- */

static int64_t number(const char *sql);

static void start(void)
{
	char run[ID_SIZE];

	if (sessions == SESSIONS) return;
	sessions++;
	if (run_rig_start(&rig, "chief", run).err) breach("a session is refused");
	run_of(run, false);
}

static void claim(int process)
{
	struct process *p = &processes[process];
	size_t len = p->len;

	for (int i = 0; i < runs_len; i++) /* what others lost is queued first */
		if (runs[i].holder >= 0 && runs[i].holder != process &&
			runs[i].until_ms <= now_ms)
			runs[i].holder = -1;
	if (HELD - len < 8) return;
	len += run_rig_claim(&rig, p->name, p->held + len, (size_t)(1 + below(8)));
	for (; p->len < len; p->len++) {
		struct held *h = &p->held[p->len];
		struct sim_run *r = run_of(h->run, h->child);

		r->child = h->child;
		if (r->holder >= 0) breach("%s is claimed, and held", r->id);
		if (r->end[0]) breach("%s is claimed, and has ended", r->id);
		if (r->wake_ms > now_ms)
			breach("%s is claimed %lld ms before its time", r->id,
				(long long)(r->wake_ms - now_ms));
		r->wake_ms = 0;
		r->holder = process;
		r->attempt = h->attempt;
		r->until_ms = now_ms + RUN_LEASE_MS;
	}
}

#define CALL(id, name, args)                                                             \
	"{'type':'tool_call','id':'" id "','name':'" name "','arguments':" args "}"

/* %d: a number that no call had before, so that none is the same as another. */
static void content_write(char *out, size_t size, const char *parts)
{
	const char *gap = strstr(parts, "%d");

	if (gap)
		snprintf(out, size, "[%.*s%lld%s]", (int)(gap - parts), parts,
			(long long)number_of, gap + 2);
	else
		snprintf(out, size, "[%s]", parts);
}

static void turn(int process)
{
	static const char *const says[] = {
		"{'type':'text','text':'done'}",
		CALL("a", "todo", "{'operation':'create','name':'Task'}"),
		CALL("b", "ask_user_question", "{'questions':[{'question':'Eh?'}]}"),
		CALL("c", "test_append", "{'path':'/x','text':'line %d'}"),
		CALL("d", "todo", "{'operation':'create','name':'Task'}") "," CALL(
			"e", "ask_user_question", "{'questions':[{'question':'Eh?'}]}"),
		CALL("f", "delegate_task", "{'agent':'chief','task':'Part %d'}"),
		CALL("g", "parallel_tasks",
			"{'tasks':[{'id':'x','agent':'chief','task':'Part %d'},"
			"{'id':'y','prompt':'p','task':'Part','after':['x']},"
			"{'id':'z','prompt':'p','task':'Part'}]}"),
		CALL("h", "weather", "{'city':'line %d'}"),
		CALL("i", "lookup", "{'city':'line %d'}"),
	};
	static const int todos[] = { 0, 1, 0, 0, 1, 0, 0, 0, 0 };
	struct process *p = &processes[process];
	int what = below(9);
	char content[800];
	bool valid;
	size_t i;

	if (!p->len) return;
	i = (size_t)below((int)p->len);
	if (p->held[i].step != RUN_STEP_MODEL) return;
	if (runs_len > RUNS - 20) what = 0;
	valid = holds(&p->held[i], process);
	number_of++;
	content_write(content, sizeof content, says[what]);
	struct held *h = &p->held[i];
	struct sim_run *r = run_of(h->run, h->child);

	if (valid && (what == 3 || what == 7)) r->starts = 1;
	if (judged(process, i, run_rig_turn(&rig, h, content), valid, "a turn"))
		tasks += todos[what];
}

/* The model is out of order: its fallback, then a pause. */
static void outage(int process)
{
	struct process *p = &processes[process];
	struct sim_run *r;
	char sql[160];
	bool valid, fell;
	size_t i;

	if (!p->len) return;
	i = (size_t)below((int)p->len);
	if (p->held[i].step != RUN_STEP_MODEL) return;
	valid = holds(&p->held[i], process);
	r = run_of(p->held[i].run, false);
	fell = r->fell;
	if (!judged(process, i,
		    run_rig_outage(&rig, &p->held[i], (uint64_t)below(1000000)), valid,
		    "an outage"))
		return;
	r->fell = true;
	outages++;
	if (fell == (r->holder >= 0))
		breach("%s %s", r->id, fell ? "does not wait" : "has no fallback");
	snprintf(sql, sizeof sql,
		"SELECT wake_ms FROM runs WHERE id = '%s' AND status = 'waiting'", r->id);
	if (fell && strcmp(run_rig_status(&rig, r->id), "waiting") == 0)
		r->wake_ms = number(sql);
}

/* A person does not want to wait. */
static void retry(void)
{
	struct sim_run *r = NULL;
	struct outcome o;

	for (int i = 0; i < runs_len; i++)
		if (runs[i].wake_ms && !runs[i].child) r = &runs[i];
	if (!r || strcmp(run_rig_status(&rig, r->id), "waiting") != 0) return;
	if (rig_do(&rig, &(struct request){ &use_run_retry, rig.mia, r->id, "{}" }, &o))
		breach("%s waits, and cannot be retried: %s", r->id,
			o.task.job.why.detail);
	outcome_done(&o);
	r->wake_ms = 0;
	hurried++;
}

static void bring(void)
{
	struct later *l;
	char sql[160];
	bool waits;
	enum err e;

	if (!laters_len) return;
	l = &laters[below(laters_len)];
	snprintf(sql, sizeof sql,
		"SELECT COUNT(*) FROM tool_calls WHERE id = '%s' AND status IN"
		" ('waiting','started','pending','interrupted')",
		l->call);
	waits = number(sql) == 1;
	e = run_rig_bring(&rig, l->call, l->token);
	if (e != (waits ? OK : ERR_CONFLICT) || (!e && l->taken))
		breach("the result of %s, which %s: %d", l->call,
			waits ? "waits" : "has ended", (int)e);
	if (!e) l->taken = true;
	brought += !e;
	if (!e && strcmp(run_rig_status(&rig, l->run), "queued") == 0) let_go(l->run);
}

static void call(int process)
{
	struct process *p = &processes[process];
	char arguments[512];
	bool started, valid;
	struct held *h;
	size_t i;

	if (!p->len) return;
	i = (size_t)below((int)p->len);
	h = &p->held[i];
	if (h->step != RUN_STEP_CALLS) return;
	valid = holds(h, process);
	if (h->classes[0] == CLASS_ONCE) {
		enum err e = run_rig_begin(&rig, h, 0, &started, arguments);

		if (started && --run_of(h->run, false)->starts < 0)
			breach("a call of %s begins once more than people decided",
				h->run);
		if (!judged(process, i, e, valid, "the start of a call")) return;
	}
	if (below(3) == 0) { /* the process dies while the tool works */
		held_drop(p, i);
		return;
	}
	h->later_ms = h->callback[0] && below(2) ? LATER_MS : 0;
	if (h->later_ms && laters_len < LATERS) {
		struct later *l = &laters[laters_len++];

		*l = (struct later){ 0 };
		snprintf(l->call, ID_SIZE, "%s", h->calls[0]);
		snprintf(l->run, ID_SIZE, "%s", h->run);
		snprintf(l->token, sizeof l->token, "%s", h->callback);
	}
	judged(process, i, run_rig_calls(&rig, h), valid, "the result of a call");
}

static void renew(int process)
{
	struct process *p = &processes[process];
	bool lost[HELD];

	if (run_rig_renew(&rig, p->name, p->held, lost, p->len)) breach("no renewal");
	for (size_t i = 0; i < p->len; i++) {
		struct sim_run *r = run_of(p->held[i].run, false);

		if (lost[i] == holds(&p->held[i], process))
			breach("%s is told that %s is %s", p->name, r->id,
				lost[i] ? "lost" : "held");
		if (!lost[i] && r->until_ms - now_ms <= RUN_LEASE_MS * 2 / 3)
			r->until_ms = now_ms + RUN_LEASE_MS;
	}
	/* What it holds and does not work on is queued again. */
	for (int k = 0; k < runs_len; k++) {
		bool works = false;

		for (size_t i = 0; i < p->len; i++)
			works |= strcmp(p->held[i].run, runs[k].id) == 0 &&
				 p->held[i].attempt == runs[k].attempt;
		if (runs[k].holder == process && !works) runs[k].holder = -1;
	}
	for (size_t i = p->len; i-- > 0;)
		if (lost[i]) held_drop(p, i);
}

/* kill -9 of a process: another comes, under another name. */
static void die(int process)
{
	struct process *p = &processes[process];

	for (int i = 0; i < runs_len; i++)
		if (runs[i].holder == process)
			runs[i].holder = PROCESSES; /* a dead one */
	p->len = 0;
	snprintf(p->name, sizeof p->name, "%c/%d", 'a' + process, ++p->lives);
}

static void answer_all(int share)
{
	struct outcome list, o;

	rig_do(&rig, &(struct request){ &use_ask_list, rig.ada, .query = "limit=200" },
		&list);
	if (!outcome_read(&list)) breach("no list of asks");
	for (uint32_t i = 0; !broken && i < json_get(list.json, "items")->count; i++) {
		const struct json *ask = &json_get(list.json, "items")->items[i];
		bool recovery =
			str_is(json_text(json_get(ask, "kind")), "error_recovery");
		bool retry = below(2);
		char id[ID_SIZE], run[ID_SIZE];

		if (below(share)) continue;
		snprintf(id, sizeof id, "%.*s", STR_ARGS(json_text(json_get(ask, "id"))));
		snprintf(run, sizeof run, "%.*s",
			STR_ARGS(json_text(json_get(ask, "run"))));
		if (recovery && retry) run_of(run, false)->starts++;
		rig_do(&rig,
			&(struct request){ &use_answer, rig.mia, id,
				!recovery ? "{'answers':{'q1':'yes'}}"
				: retry	  ? "{'answers':{'recovery':'retry'}}"
					  : "{'answers':{'recovery':'skip'}}" },
			&o);
		if (o.err) breach("an answer is refused: %s", o.task.job.why.detail);
		outcome_done(&o);
	}
	outcome_done(&list);
}

/* The tree goes; nobody holds any of it. */
static void cancel(void)
{
	struct raw_sql *raw;
	struct sim_run *r;

	if (!runs_len) return;
	r = &runs[below(runs_len)];
	if (run_rig_cancel(&rig, r->id)) return;
	raw = raw_open(rig.place);
	for (int i = 0; raw && i < runs_len; i++)
		if (strcmp(run_rig_status(&rig, runs[i].id), "cancelled") == 0)
			runs[i].holder = -1;
	raw_close(raw);
	if (strcmp(run_rig_status(&rig, r->id), "cancelled") != 0)
		breach("%s is not cancelled", r->id);
}

/* The model is asked again at once: whoever waits for its answer loses the run. */
static void interrupt(void)
{
	struct outcome o, run;
	struct sim_run *r;
	const char *status;
	char session[ID_SIZE];

	if (!runs_len) return;
	r = &runs[below(runs_len)];
	if (r->child) return;
	rig_do(&rig, &(struct request){ &use_run_get, rig.ada, r->id }, &run);
	if (!outcome_read(&run)) breach("no run");
	snprintf(session, sizeof session, "%.*s", STR_ARGS(text_at(run.json, "session")));
	outcome_done(&run);
	status = run_rig_status(&rig, r->id);
	if (strcmp(status, "running") != 0 && strcmp(status, "waiting") != 0) return;
	rig_do(&rig,
		&(struct request){ &use_message_send, rig.mia, session,
			"{'content':'louder','when':'now'}" },
		&o);
	outcome_done(&o);
	if (strcmp(run_rig_status(&rig, r->id), "queued") != 0) return;
	r->holder = -1;
	r->wake_ms = 0;
}

/* ---- checks ---- */

static void number_row(void *ctx, int columns, const char *const *texts)
{
	(void)columns;
	*(int64_t *)ctx = strtoll(texts[0], NULL, 10);
}

static int64_t number(const char *sql)
{
	struct raw_sql *raw = raw_open(rig.place);
	int64_t n = -1;

	if (!raw || raw_each(raw, sql, number_row, &n) != 1) breach("%s", sql);
	raw_close(raw);
	return n;
}

static void look(void)
{
	char why[256] = "";

	for (int i = 0; i < runs_len; i++) {
		const char *status = run_rig_status(&rig, runs[i].id);
		bool ended = strcmp(status, "completed") == 0 ||
			     strcmp(status, "failed") == 0 ||
			     strcmp(status, "cancelled") == 0;

		if (runs[i].end[0] && strcmp(runs[i].end, status) != 0)
			breach("%s was %s and is %s", runs[i].id, runs[i].end, status);
		if (ended) snprintf(runs[i].end, sizeof runs[i].end, "%s", status);
		if ((runs[i].holder >= 0) != (strcmp(status, "running") == 0))
			breach("%s is %s, holder %d", runs[i].id, status, runs[i].holder);
	}
	if (number("SELECT COUNT(*) FROM tasks") != tasks)
		breach("%lld tasks, of %lld that were acknowledged",
			(long long)number("SELECT COUNT(*) FROM tasks"),
			(long long)tasks);
	if (number("SELECT COUNT(*) FROM runs c JOIN runs p ON p.id = c.parent WHERE p.parent > ''"))
		breach("a sub-agent has a sub-agent");
	if (number("SELECT COUNT(*) FROM runs WHERE lease_by > '' AND status <> 'running'"))
		breach("a run is held that does not work");
	if (rig_check(&rig, why) < 0) breach("%s", why);
}

/* Everybody works and answers from now on. */
static void drain(void)
{
	for (int round = 0; round < 400 && !broken; round++) {
		for (int k = 0; k < PROCESSES; k++) {
			claim(k);
			for (int i = 0; i < 40; i++) {
				struct process *p = &processes[k];

				if (!p->len) break;
				if (p->held[0].step == RUN_STEP_MODEL) {
					bool valid = holds(&p->held[0], k);

					judged(k, 0,
						run_rig_turn(&rig, &p->held[0],
							"[{'type':'text','text':'done'}]"),
						valid, "a last turn");
				} else {
					call(k);
				}
			}
		}
		answer_all(1);
		now_ms += RUN_LEASE_MS + 1;
		clock_set(now_ms);
		if (!number("SELECT COUNT(*) FROM runs WHERE status IN"
			    " ('queued','running','waiting')"))
			return;
	}
	breach("some do not end");
}

static void one_step(void)
{
	int process = below(PROCESSES);

	switch (below(24)) {
	case 0: start(); break;
	case 1:
	case 2:
	case 3:
	case 4: claim(process); break;
	case 5: renew(process); break;
	case 6:
		now_ms += below(RUN_LEASE_MS + 5000);
		clock_set(now_ms);
		break;
	case 7:
		if (below(3) == 0) die(process);
		break;
	case 8: answer_all(2); break;
	case 9:
		if (below(4) == 0) cancel();
		break;
	case 10: interrupt(); break;
	case 11: /* a thread forgets what it worked on */
		if (processes[process].len)
			held_drop(&processes[process],
				(size_t)below((int)processes[process].len));
		break;
	case 12:
		if (below(5)) break;
		rig.options.seed++; /* ids of this millisecond are not made twice */
		if (!rig_reopen(&rig)) breach("it does not open");
		break;
	case 13:
	case 14: call(process); break;
	case 15: outage(process); break;
	case 16: bring(); break;
	case 17: retry(); break;
	default: turn(process);
	}
	if (step % 25 == 0) look();
}

static void make(const struct use *use, const char *body)
{
	struct outcome o;

	if (rig_do(&rig, &(struct request){ use, rig.ada, .body = body }, &o))
		breach("%s: %s", body, o.task.job.why.detail);
	outcome_done(&o);
}

static bool history(uint64_t from)
{
	struct rig_options options = {
		.alone = true, .weak_sync = true, .seed = from + 1
	};
	seed = chance = from;
	runs_len = sessions = laters_len = 0;
	tasks = number_of = 0;
	now_ms = (int64_t)1800000000 * 1000;
	clock_set(now_ms);
	for (int k = 0; k < PROCESSES; k++) {
		processes[k] = (struct process){ .lives = 1 };
		snprintf(processes[k].name, sizeof processes[k].name, "%c/1", 'a' + k);
	}
	if (!rig_open(&rig, &options) || !run_rig_prepare(&rig))
		breach("it does not open");
	make(&use_tool_create,
		"{'name':'lookup','url':'https://example.org/l','description':'Looks.','class':'repeat'}");
	make(&use_agent_create,
		"{'name':'chief','provider':'scripted','model':'m','fallbacks':['scripted/m2'],"
		"'patience':'1h','tools':['ask_user_question','todo','test_append','weather',"
		"'lookup','delegate_task','parallel_tasks'],'on_error':'fail',"
		"'validation':{'mode':'auto','always_confirm_high':false}}");
	make(&use_policy_put, "{'version':0,'at_once':{'auto':64}}");
	start();
	for (step = 1; step <= STEPS && !broken; step++)
		one_step();
	if (!broken) drain();
	if (!broken) look();
	rig_close(&rig);
	return !broken;
}

int main(int argc, char **argv)
{
	uint64_t count = argc > 1 ? strtoull(argv[1], NULL, 10) : 20, from = 1;

	if (argc > 3) from = strtoull(argv[3], NULL, 10);
	if (getenv("PARLEY_LONG")) count *= 20;
	for (uint64_t i = 0; i < count; i++)
		if (!history(from + i)) return 1;
	printf("%" PRIu64
	       " histories of runs, %d outages, %d retried early, %d results that came later\n",
		count, outages, hurried, brought);
	return 0;
}
