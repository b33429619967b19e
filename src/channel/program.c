/* program.c - a command line of the operator, run for a delivery: with what it sees of us and of our
 * environment, never through a shell, and isolated where that can be done. */
#include "channel/program.h"

#include "core/policy/verifier.h"
#include "core/shared/trace.h"

void program_env_open(struct notify *n)
{
	size_t len = 0;

	process_env_add(STR(PROCESS_ENV), n->env, &len, NAMES_MAX, &n->arena);
	process_env_add(n->set.resumer_env, n->env, &len, NAMES_MAX, &n->arena);
}

enum err program_lines(struct notify *n, enum delivery_kind kind,
	const struct named_command *all, size_t len, struct fault *why)
{
	bool tells = kind == DELIVERY_COMMAND;
	struct resumer *out = ARENA_ARRAY(&n->arena, struct resumer, len + 1);

	n->state[kind] = out;
	if (!out) return fail_memory(why);
	for (size_t i = 0; i < len; i++) {
		struct fault wrong = { 0 };

		if (kind == DELIVERY_VERIFIER && verifier_is_url(all[i].command))
			continue;
		if (resumer_read(all[i].command, tells ? COMMAND_TELLS : COMMAND_RESUMES,
			    &n->arena, &out[i], &wrong))
			return fail(why, ERR_INVALID, "%s %.*s: %s",
				tells ? "channel" : delivery_kind_name(kind),
				STR_ARGS(all[i].name), wrong.detail);
	}
	return OK;
}

char **program_env_of(struct claimed *c, const struct program_var *vars, size_t vars_len)
{
	const struct notify *n = claimed_notify(c);
	struct arena *arena = claimed_arena(c);
	struct trace_on trace = trace_pass(c->fill.trace, c->delivery->id, arena);
	char **env = ARENA_ARRAY(arena, char *, NAMES_MAX + vars_len + 3);
	size_t len = 0;

	if (!env) return NULL;
	for (; n->env[len]; len++)
		env[len] = n->env[len];
	for (size_t i = 0; i < vars_len; i++)
		env[len++] = arena_copy(arena, arena_print(arena, "%s=%.*s", vars[i].name,
						       STR_ARGS(vars[i].value)));
	if (trace.parent.len)
		env[len++] = arena_copy(arena,
			arena_print(arena, "TRACEPARENT=%.*s", STR_ARGS(trace.parent)));
	if (trace.state.len)
		env[len++] = arena_copy(arena,
			arena_print(arena, "TRACESTATE=%.*s", STR_ARGS(trace.state)));
	return env;
}

char **program_env(struct claimed *c)
{
	const struct notify *n = claimed_notify(c);
	const struct program_var ours[] = {
		{ "PARLEY_URL", n->set.url },
		{ "PARLEY_DATA", n->set.data },
		{ "PARLEY_SESSION", c->delivery->session },
		{ "PARLEY_EXTERNAL_ID", c->fill.external_id },
		{ "PARLEY_ASK", c->delivery->ask },
		{ "PARLEY_DELIVERY", c->delivery->id },
	};

	return program_env_of(c, ours, sizeof ours / sizeof *ours);
}

enum err program_run(struct claimed *c, const struct resumer *r,
	const struct resumer_values *values, char **env, struct str input,
	int64_t limit_ms, struct fault *why)
{
	const struct notify *n = claimed_notify(c);
	struct arena *arena = claimed_arena(c);
	char **argv = NULL;
	enum err e = resumer_fill(r, values, arena, &argv, why);
	struct process_setup set = { .argv = argv,
		.envp = env,
		.input = input,
		.limit_ms = limit_ms,
		.isolated = n->with.isolated,
		.hidden = n->with.hidden,
		.hidden_len = n->with.hidden_len };

	if (!e && arena->failed) e = fail(why, ERR_MEMORY, "out of memory");
	return e ? e : process_start(&c->process, &set, why);
}

const struct resumer *program_named(const struct resumer *programs,
	const struct named_command *all, size_t len, struct str name)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(all[i].name, name)) return &programs[i];
	return NULL;
}

static struct str end_error(
	const struct process_end *end, const char *late, struct arena *arena)
{
	if (end->failure[0]) return arena_str(arena, str_of(end->failure));
	if (end->limited) return str_of(late);
	if (end->signal) return arena_print(arena, "ended by signal %d", end->signal);
	if (end->exit) return arena_print(arena, "exit status %d", end->exit);
	return STR_NONE;
}

size_t program_watch(struct claimed *c, struct pollfd fds[CHANNEL_FDS], const char *late,
	struct process_end *end, struct str *error)
{
	struct process *p = &c->process;

	process_look(p);
	if (!process_ended(p, end)) {
		fds[0] = (struct pollfd){ p->handle, POLLIN, 0 };
		fds[1] = (struct pollfd){ p->output, POLLIN, 0 };
		return p->output >= 0 ? 2 : 1;
	}
	c->outcome.output = process_tail(p, claimed_arena(c));
	c->outcome.signal = end->signal;
	process_done(p);
	*error = end_error(end, late, claimed_arena(c));
	return 0;
}
