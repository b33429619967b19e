/* resumers.c - commands that set an agent going again: configured by name, run with what
 * its session brings, never through a shell. */
#include "notify/inner.h"

#include <stdlib.h>

/* What a program needs to find its way. Our own settings and secrets are not for it. */
static const char usual[] = "PATH,HOME,USER,LOGNAME,SHELL,LANG,LC_ALL,TZ,TMPDIR";

static void names_add(struct notify *n, struct str names, size_t *len)
{
	struct str name;

	while (*len < NAMES_MAX && str_cut(&names, ',', &name)) {
		const char *text = arena_copy(&n->arena, str_trim(name));
		const char *value = text && *text ? getenv(text) : NULL;

		if (!value) continue;
		n->env[(*len)++] = arena_copy(
			&n->arena, arena_print(&n->arena, "%s=%s", text, value));
	}
}

enum err resumers_open(struct notify *n, struct fault *why)
{
	struct notify_resumer *kept =
		ARENA_ARRAY(&n->arena, struct notify_resumer, n->set.resumers_len);
	size_t len = 0;

	n->resumers = ARENA_ARRAY(&n->arena, struct resumer, n->set.resumers_len);
	names_add(n, str_of(usual), &len);
	names_add(n, n->set.resumer_env, &len);
	for (size_t i = 0; kept && n->resumers && i < n->set.resumers_len; i++) {
		const struct notify_resumer *r = &n->set.resumers[i];
		struct fault wrong = { 0 };

		kept[i].name = arena_str(&n->arena, r->name);
		if (resumer_read(r->command, &n->arena, &n->resumers[i], &wrong))
			return fail(why, ERR_INVALID, "resumer %.*s: %s",
				STR_ARGS(r->name), wrong.detail);
	}
	n->set.resumers = kept;
	return n->arena.failed ? fail(why, ERR_MEMORY, "out of memory") : OK;
}

static const struct resumer *resumer_find(const struct notify *n, struct str name)
{
	for (size_t i = 0; i < n->set.resumers_len; i++)
		if (str_eq(n->set.resumers[i].name, name)) return &n->resumers[i];
	return NULL;
}

static char **env_make(
	const struct notify *n, const struct errand *x, struct arena *arena)
{
	const struct {
		const char *name;
		struct str value;
	} ours[] = {
		{ "PARLEY_URL", n->set.url },
		{ "PARLEY_DATA", n->set.data },
		{ "PARLEY_SESSION", x->delivery.session },
		{ "PARLEY_EXTERNAL_ID", x->external_id },
		{ "PARLEY_ASK", x->delivery.ask },
		{ "PARLEY_DELIVERY", x->delivery.id },
	};
	enum { OURS = sizeof ours / sizeof *ours };
	char **env = ARENA_ARRAY(arena, char *, NAMES_MAX + OURS + 1);
	size_t len = 0;

	if (!env) return NULL;
	for (; n->env[len]; len++)
		env[len] = n->env[len];
	for (size_t i = 0; i < OURS; i++)
		env[len++] = arena_copy(arena, arena_print(arena, "%s=%.*s", ours[i].name,
						       STR_ARGS(ours[i].value)));
	return env;
}

void resumer_start(struct work *w)
{
	struct notify *n = w->haul->notify;
	const struct errand *x = w->errand;
	const struct resumer *r = resumer_find(n, x->delivery.target);
	const struct resumer_values values = { x->external_id, x->delivery.session,
		x->context, x->delivery.ask, n->set.url };
	struct arena *arena = work_arena(w);
	struct fault why = { 0 };
	char **argv = NULL, **env;
	enum err e;

	if (!r) {
		work_over(
			w, ENDED_DEAD, -1, STR("no resumer of this name is configured"));
		return;
	}
	e = resumer_fill(r, &values, arena, &argv, &why);
	env = e ? NULL : env_make(n, x, arena);
	if (!e && arena->failed) e = fail(&why, ERR_MEMORY, "out of memory");
	if (!e)
		e = process_start(&w->process, argv, env,
			resumer_wants_context(r) ? STR_NONE : x->context, &why);
	if (e) work_over(w, ENDED_DEAD, -1, arena_str(arena, str_of(why.detail)));
}

void resumer_look(struct work *w)
{
	struct arena *arena = work_arena(w);
	struct process_end end;
	struct str error = STR_NONE;

	if (!process_ended(&w->process, &end)) {
		process_trim(&w->process);
		return;
	}
	w->outcome.output = process_tail(&w->process, arena);
	w->outcome.signal = end.signal;
	process_done(&w->process);
	if (end.signal)
		error = arena_print(arena, "ended by signal %d", end.signal);
	else if (end.exit)
		error = arena_print(arena, "exit status %d", end.exit);
	work_over(w, error.len ? ENDED_DEAD : ENDED_WELL, end.exit, error);
}

void resumer_leave(struct work *w)
{
	w->outcome.output = process_tail(&w->process, work_arena(w));
	process_done(&w->process);
	work_over(w, ENDED_DEAD, -1,
		STR("interrupted: the server stopped, the program was left running"));
}
