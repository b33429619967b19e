/* insight_groups.c - asks counted by agent, project and hour, and answers by person.
 * Prefixes: group_, groups_, projects_, hours_. */
#include "desk/session/insight_groups.h"

#include "core/shared/show.h"

#include <stdlib.h>

enum { SHOWN_MAX = 50, VIAS_MAX = 12 };

struct via_count {
	struct str name;
	int64_t answers;
};

struct person_more {
	struct via_count vias[VIAS_MAX];
};

/* ---- counting ---- */

struct insight_group *group_of(struct insight_groups *all, struct str id, struct str name)
{
	struct insight_group *g = table_get(&all->by_id, id);

	if (g) return g;
	g = ARENA_NEW(&all->arena, struct insight_group);
	if (!g) return NULL;
	g->id = arena_str(&all->arena, id);
	g->name = arena_str(&all->arena, name);
	g->next = all->first;
	all->first = g;
	return !all->arena.failed && table_put(&all->by_id, g->id, g) ? g : NULL;
}

bool group_add(struct insight_group *g, const struct insight_ask *a)
{
	g->count++;
	g->by[a->status]++;
	g->by_rules += a->by_rule;
	g->decided += a->decided;
	g->approved += a->approved;
	return !a->user.len || durations_add(&g->took, a->took_ms);
}

static void via_add(struct insight_groups *all, struct insight_group *g, struct str via)
{
	struct person_more *more = g->more;
	struct via_count *v = more->vias, *last = v + VIAS_MAX - 1;

	while (v < last && v->answers && !str_eq(v->name, via))
		v++;
	if (!v->answers++) v->name = arena_str(&all->arena, via);
}

bool agents_count(struct insight_groups *all, const struct insight_ask *a)
{
	struct insight_group *g = group_of(all, a->agent, a->agent_name);

	return g && group_add(g, a);
}

bool people_count(struct insight_groups *all, const struct insight_ask *a)
{
	struct insight_group *g = group_of(all, a->user, a->user_name);

	if (!g || !group_add(g, a)) return false;
	if (!g->more) g->more = ARENA_NEW(&all->arena, struct person_more);
	if (g->more) via_add(all, g, a->via);
	return g->more != NULL;
}

bool projects_count(struct insight_groups *all, const struct insight_ask *a)
{
	struct insight_group *g = group_of(all, a->project, STR_NONE);

	return g && group_add(g, a);
}

static struct str hour_id(int64_t hour, struct arena *arena)
{
	return arena_print(arena, "%02d", (int)hour);
}

bool hours_count(struct insight_groups *all, const struct insight_ask *a)
{
	struct arena scratch = { 0 };
	struct insight_group *g = group_of(all, hour_id(a->hour, &scratch), STR_NONE);

	arena_done(&scratch);
	return g && group_add(g, a);
}

/* ---- writing ---- */

int groups_by_count(const void *a, const void *b)
{
	const struct insight_group *x = *(const struct insight_group *const *)a;
	const struct insight_group *y = *(const struct insight_group *const *)b;

	if (x->count != y->count) return x->count < y->count ? 1 : -1;
	return str_cmp(x->id, y->id);
}

struct insight_group **groups_sorted(
	struct insight_groups *all, group_order *order, size_t *len)
{
	struct insight_group **list =
		ARENA_ARRAY(&all->arena, struct insight_group *, all->by_id.len + 1);
	size_t n = 0;

	for (struct insight_group *g = all->first; list && g; g = g->next)
		list[n++] = g;
	if (n) qsort(list, n, sizeof *list, order);
	*len = n < SHOWN_MAX ? n : SHOWN_MAX;
	return list;
}

void group_write_median(struct json_writer *w, struct insight_group *g)
{
	durations_sort(g->took.ms, g->took.len);
	jw_key(w, "median_ms");
	durations_part_write(w, g->took.ms, g->took.len, 50);
}

void agents_counted_write(struct json_writer *w, struct insight_groups *all, int64_t ws)
{
	size_t len;
	struct insight_group **list = groups_sorted(all, groups_by_count, &len);

	jw_array(w);
	for (size_t i = 0; i < len; i++) {
		struct insight_group *g = list[i];

		jw_object(w);
		show_agent(w, ws, g->id, g->name);
		jw_put_int(w, "asks", g->count);
		jw_put_int(w, "by_rules", g->by_rules);
		jw_put_int(w, "decided", g->decided);
		jw_put_int(w, "approved", g->approved);
		group_write_median(w, g);
		jw_object_end(w);
	}
	jw_array_end(w);
	if (all->arena.failed) w->out->failed = true;
}

void people_counted_write(struct json_writer *w, struct insight_groups *all)
{
	size_t len;
	struct insight_group **list = groups_sorted(all, groups_by_count, &len);

	jw_array(w);
	for (size_t i = 0; i < len; i++) {
		struct insight_group *g = list[i];
		const struct person_more *more = g->more;

		jw_object(w);
		jw_put_str(w, "user", g->id);
		jw_put_str(w, "name", g->name);
		jw_put_int(w, "answered", g->count);
		jw_put_int(w, "decided", g->decided);
		jw_put_int(w, "approved", g->approved);
		group_write_median(w, g);
		jw_put_object(w, "via");
		for (size_t v = 0; v < VIAS_MAX && more->vias[v].answers; v++) {
			jw_name(w, more->vias[v].name);
			jw_int(w, more->vias[v].answers);
		}
		jw_object_end(w);
		jw_object_end(w);
	}
	jw_array_end(w);
	if (all->arena.failed) w->out->failed = true;
}

void projects_counted_write(struct json_writer *w, struct insight_groups *all)
{
	size_t len;
	struct insight_group **list = groups_sorted(all, groups_by_count, &len);

	jw_array(w);
	for (size_t i = 0; i < len; i++) {
		struct insight_group *g = list[i];

		jw_object(w);
		show_text(w, "project", g->id);
		jw_put_int(w, "asks", g->count);
		jw_put_int(w, "answered", g->by[ASK_ANSWERED]);
		jw_put_int(w, "expired", g->by[ASK_EXPIRED]);
		jw_put_int(w, "by_rules", g->by_rules);
		group_write_median(w, g);
		jw_object_end(w);
	}
	jw_array_end(w);
	if (all->arena.failed) w->out->failed = true;
}

void hours_counted_write(struct json_writer *w, struct insight_groups *all)
{
	jw_array(w);
	for (int64_t hour = 0; hour < 24; hour++) {
		struct insight_group none = { 0 };
		struct insight_group *g =
			table_get(&all->by_id, hour_id(hour, &all->arena));

		if (!g) g = &none;
		jw_object(w);
		jw_put_int(w, "hour", hour);
		jw_put_int(w, "created", g->count);
		jw_put_int(w, "answered", g->by[ASK_ANSWERED]);
		jw_put_int(w, "expired", g->by[ASK_EXPIRED]);
		group_write_median(w, g);
		jw_object_end(w);
	}
	jw_array_end(w);
	if (all->arena.failed) w->out->failed = true;
}

void groups_done(struct insight_groups *all)
{
	for (struct insight_group *g = all->first; g; g = g->next)
		durations_done(&g->took);
	table_done(&all->by_id);
	arena_done(&all->arena);
	*all = (struct insight_groups){ 0 };
}
