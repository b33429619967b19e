/* plan.c - the order of tasks that wait for each other. */
#include "core/run/plan.h"

static int task_named(const struct task_plan *p, struct str id)
{
	for (size_t i = 0; i < p->len; i++)
		if (str_eq(p->tasks[i].id, id)) return (int)i;
	return -1;
}

/* Tasks that can be done at all, one after the other: all of them, unless there is a circle. */
static bool plan_ends(const struct task_plan *p)
{
	unsigned done = 0, all = p->len < 32 ? (1u << p->len) - 1 : ~0u;

	for (size_t round = 0; round < p->len; round++)
		for (size_t i = 0; i < p->len; i++)
			if ((p->tasks[i].after & ~done) == 0) done |= 1u << i;
	return done == all;
}

static bool after_read(struct task_plan *p, size_t i, const struct json *after,
	struct arena *arena, struct str *wrong)
{
	for (uint32_t k = 0; after && after->type == JSON_ARRAY && k < after->count;
		k++) {
		struct str id = json_text(&after->items[k]);
		int found = task_named(p, id);

		if (found < 0) {
			*wrong = arena_print(arena,
				"there is no task \"%.*s\" to wait for",
				STR_ARGS(str_first(id, 64)));
			return false;
		}
		p->tasks[i].after |= 1u << found;
	}
	return true;
}

bool plan_read(const struct json *tasks, struct arena *arena, struct task_plan *out,
	struct str *wrong)
{
	struct task_plan p = { 0 };

	if (!json_is(tasks, JSON_ARRAY) || !tasks->count || tasks->count > PLAN_MAX) {
		*wrong = STR("tasks: 1 to 20 of them");
		return false;
	}
	for (uint32_t i = 0; i < tasks->count; i++) {
		const struct json *t = &tasks->items[i];
		struct str id = json_text(json_get(t, "id"));

		if (!id.len) id = arena_print(arena, "%u", i + 1);
		if (task_named(&p, id) >= 0) {
			*wrong = arena_print(arena, "two tasks have the id \"%.*s\"",
				STR_ARGS(str_first(id, 64)));
			return false;
		}
		p.tasks[p.len++] = (struct plan_task){ .id = id,
			.agent = json_text(json_get(t, "agent")),
			.prompt = json_text(json_get(t, "prompt")),
			.task = json_text(json_get(t, "task")) };
		if (!p.tasks[i].agent.len && !p.tasks[i].prompt.len) {
			*wrong = STR("each task needs an agent or a prompt");
			return false;
		}
	}
	for (uint32_t i = 0; i < tasks->count; i++)
		if (!after_read(&p, i, json_get(&tasks->items[i], "after"), arena, wrong))
			return false;
	if (!plan_ends(&p)) {
		*wrong = STR("the tasks wait for each other in a circle");
		return false;
	}
	*out = p;
	return true;
}

void plan_next(
	const struct task_plan *p, const enum plan_state *states, enum plan_step *out)
{
	size_t active = 0;

	for (size_t i = 0; i < p->len; i++)
		active += states[i] == PLAN_ACTIVE;
	for (size_t i = 0; i < p->len; i++) {
		bool ready = true, lost = false;

		for (size_t k = 0; k < p->len; k++)
			if (p->tasks[i].after >> k & 1) {
				ready &= states[k] == PLAN_DONE;
				lost |= states[k] == PLAN_FAILED;
			}
		out[i] = PLAN_STAY;
		if (states[i] != PLAN_HELD) continue;
		if (lost)
			out[i] = PLAN_SKIP;
		else if (ready && active < PLAN_AT_ONCE)
			out[i] = PLAN_BEGIN, active++;
	}
}
