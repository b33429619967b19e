/* call.c - tool calls that work outside of the store. A call of class once is begun only after
 * that was committed, one of an MCP server after that was reached, too, so that it never runs twice without a person's word. While this process lives it
 * knows what came of it, and tells the store until that says whether it has it. */
#include "agent/inner.h"

#include "base/clock.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/show.h"
#include "mcp/remote.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

enum { PROGRESS_MAX = 500 }; /* characters that are shown */

typedef void tool_fn(
	struct arena *, const struct json *arguments, struct run_outcome *out);

/* A test's: appends a line to a file. */
static void append_run(
	struct arena *arena, const struct json *args, struct run_outcome *out)
{
	const char *path = arena_copy(arena, json_text_of(args, "path"));
	struct str line =
		arena_print(arena, "%.*s\n", STR_ARGS(json_text_of(args, "text")));
	int fd = path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600) : -1;

	out->failed = fd < 0 || write(fd, line.at, line.len) != (ssize_t)line.len;
	out->text =
		out->failed ? arena_str(arena, str_of(strerror(errno))) : STR("appended");
	if (fd >= 0) close(fd);
}

/* Adding one is a row here, and one in core/run/run_tool.c. */
static const struct {
	enum run_tool_id id;
	tool_fn *run;
} tools[] = { { RUN_TOOL_APPEND, append_run } };

static void call_run(const struct run_do *c, struct str arguments, struct arena *arena,
	struct run_outcome *out)
{
	const struct json *args;

	*out = (struct run_outcome){ c->call, true, STR("there is no such tool") };
	if (json_read(arguments, NULL, arena, &args, NULL)) return;
	for (size_t i = 0; i < sizeof tools / sizeof *tools; i++)
		if (str_is(c->name, run_tools[tools[i].id].name)) {
			tools[i].run(arena, args, out);
			return;
		}
}

/* ---- of MCP servers ---- */

/* A call under way. */
struct call_shown {
	struct worker *w;
	const struct run_work *work;
	const struct run_do *call;
	struct run_start start;
	bool asked, ours; /* its start was told; the run is ours */
};

/* The server is reached: the start is committed, which uses up the approval. False: it is not to run. */
static bool call_starts(void *ctx)
{
	struct call_shown *s = ctx;
	struct task t = { 0 };
	bool same;

	if (s->asked) return s->start.started;
	s->asked = true;
	s->ours = worker_tell_again(s->w, &use_run_start, &t, &s->start, &s->start.again);
	same = s->ours && str_eq(s->start.arguments, s->call->arguments);
	task_empty(&t);
	return same && s->start.started;
}

static void call_progressed(void *ctx, struct str text, int64_t percent)
{
	const struct call_shown *s = ctx;
	struct desk *desk = s->w->runner->desk;
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };

	if (!transient_wanted(desk)) return;
	jw_object(&w);
	show_text(&w, "run", s->work->key.run);
	show_text(&w, "call", s->call->call);
	show_text(&w, "name", s->call->name);
	show_number(&w, "percent", percent, percent >= 0);
	show_text(&w, "text", utf8_first(text, PROGRESS_MAX));
	jw_object_end(&w);
	if (!b.failed)
		transient_tell(
			desk, &(struct transient){ s->work->key.ws, s->work->session,
				      s->work->key.run, "run.progress", buf_str(&b) });
	buf_done(&b);
}

enum { ELICIT_LOOK_MS = 250 };

/* Waits for what a person says, as long as the ask is open. */
static bool call_asks(void *ctx, struct str method, const struct json *params,
	struct arena *arena, struct str *answer)
{
	struct call_shown *s = ctx;
	struct run_elicit b = { .key = s->work->key, .call = s->call->call };
	struct task t = { 0 };
	struct str wrong, said;

	if (!str_is(method, "elicitation/create")) return false;
	*answer = STR("{\"action\":\"cancel\"}");
	if (!remote_input(method, params, arena, &b.body, &b.foreign, &wrong) ||
		!worker_tell(s->w, &use_run_elicit, &t, &b)) {
		task_empty(&t);
		return true;
	}
	while (!b.settled && worker_sleep(s->w, ELICIT_LOOK_MS)) {
		task_empty(&t);
		if (!worker_tell(s->w, &use_run_elicited, &t, &b)) break;
	}
	said = b.settled ? remote_elicited(&b.settled->ask, &b.settled->view, arena)
			 : STR_NONE;
	if (said.len) *answer = said;
	task_empty(&t);
	return true;
}

/* What the server wanted to know, as members of the params of the call. */
static struct str wanted_members(const struct run_do *c, struct arena *arena)
{
	struct buf b = { 0 };
	struct json_writer w = { .out = &b };
	const struct json *kept, *state;
	struct str all;

	if (!c->wanted.len || json_read(c->wanted, NULL, arena, &kept, NULL))
		return STR_NONE;
	state = json_get(kept, "state");
	jw_object(&w);
	jw_put_object(&w, "inputResponses");
	for (size_t i = 0; i < c->asked_len; i++) {
		const struct kept_ask *k = c->asked[i].ask;
		struct str said =
			k ? remote_elicited(&k->ask, &k->view, arena) : STR_NONE;

		jw_name(&w, c->asked[i].key);
		jw_raw(&w, said.len ? said : STR("{\"action\":\"cancel\"}"));
	}
	jw_object_end(&w);
	if (json_is(state, JSON_STRING)) jw_put_json(&w, "requestState", state);
	jw_object_end(&w);
	all = buf_keep_done(&b, arena);
	return all.len > 2 ? str_make(all.at + 1, all.len - 2) : STR_NONE;
}

/* Is its start to be committed before it runs? */
static bool starts(const struct run_do *c)
{
	return c->class == CLASS_ONCE || !c->begun;
}

/* Is its approval used only once its server is reached? */
static bool starts_late(const struct run_do *c)
{
	return starts(c) && c->tool && c->tool->mcp && !c->tool->wrong.len;
}

/* False: it was given up, and nothing is to be told. */
static bool own_run(struct call_shown *s, struct str arguments, struct arena *arena,
	struct run_outcome *out)
{
	const struct run_do *c = s->call;
	struct worker *w = s->w;
	const struct json *args;
	struct tool_outcome came;
	enum own_call_end end;

	*out = (struct run_outcome){ c->call, true, STR("the arguments are unreadable") };
	if (json_read(arguments, NULL, arena, &args, NULL)) return true;
	if (c->tool->mcp && !c->tool->wrong.len)
		end = mcp_link_run(w->fetcher, w->stop_fd,
			&(struct mcp_call){ c->tool, args, wanted_members(c, arena),
				starts_late(c) ? call_starts : NULL, call_progressed,
				call_asks, s },
			arena, &came);
	else
		end = own_call_run(w->fetcher, w->stop_fd, c->tool, args, arena, &came);
	*out = (struct run_outcome){ c->call, came.failed, came.text,
		end == OWN_CALL_UNKNOWN,
		came.later ? own_tool_later_ms(&c->tool->tool) : 0, came.wants };
	if (came.list_changed) mcp_lists_again(w, c->tool->mcp);
	return end != OWN_CALL_STOPPED;
}

bool call_run_all(struct worker *w, const struct run_work *work, struct run_work *next)
{
	struct arena arena = { 0 };
	struct run_outcome *outcomes =
		ARENA_ARRAY(&arena, struct run_outcome, work->calls_len);
	struct run_calls report = { .key = work->key };
	int64_t began_ms = clock_mono_ms();
	struct task t = { 0 }, *last;
	bool ours = outcomes != NULL, far = false;

	/* What came of a call outside is told before the next one begins. */
	for (size_t i = 0; ours && !far && i < work->calls_len; i++) {
		const struct run_do *c = &work->calls[i];
		struct call_shown s = { w, work, c,
			{ .key = work->key, .call = c->call } };
		struct str arguments = c->arguments;

		if (starts(c) && !starts_late(c)) {
			ours = worker_tell_again(
				w, &use_run_start, &t, &s.start, &s.start.again);
			arguments = arena_str(&arena, s.start.arguments);
			task_empty(&t);
			if (!ours || !s.start.started) continue;
		}
		far = c->tool != NULL;
		if (worker_told(w))
			ours = false;
		else if (far)
			ours = own_run(&s, arguments, &arena, &outcomes[report.len++]);
		else
			call_run(c, arguments, &arena, &outcomes[report.len++]);
		if (!s.asked || s.start.started) continue;
		/* The store has what came of it: it may not run any more. */
		ours &= s.ours;
		far = false;
		report.len--;
	}
	report.outcomes = outcomes;
	report.worked_ms = clock_mono_ms() - began_ms;
	last = ours ? worker_task(w) : NULL;
	ours = ours && worker_tell_again(w, &use_run_calls, last, &report, &report.again);
	if (ours) *next = report.next;
	arena_done(&arena);
	return ours;
}
