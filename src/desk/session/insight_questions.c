/* insight_questions.c - asks counted by question. Prefix: questions_. */
#include "desk/session/insight_questions.h"

#include "base/utf8.h"
#include "core/ask/question_pattern.h"
#include "core/shared/body.h"
#include "core/shared/show.h"

#include <stdlib.h>

/* Beyond these nothing new is taken up: a workspace in which every question is another one has no
 * question that is asked again. */
enum { PATTERNS_MAX = 20000, TEXTS_MAX = 20000, VALUES_MAX = 32, AGENTS_SHOWN = 20 };
enum { VALUES_SHOWN = 5, TEXT_SHOWN = 200 };

const char *const question_order_names[QUESTION_ORDERS] = {
	[ORDER_ASKS] = "asks",
	[ORDER_EXPIRED] = "expired",
	[ORDER_TIME] = "time",
};

struct answer_count {
	struct str value; /* JSON */
	int64_t count;
};

struct session_counts {
	int64_t completed, failed;
};

struct question_more {
	struct str pattern, last;
	enum ask_kind kind;
	struct str agents[AGENTS_SHOWN];
	size_t agents_len;
	struct answer_count values[VALUES_MAX];
	size_t values_len;
	struct session_counts answered, other;
};

/* Of one session and one question: how it is counted. */
struct asked_session {
	bool answered;
};

static struct question_more *more_of(const struct insight_group *g)
{
	return g->more;
}

/* ---- which question it is ---- */

static const struct json *first_question(const struct json *fixed)
{
	const struct json *questions = json_get(fixed, "questions");

	return json_is(questions, JSON_ARRAY) && questions->count ? &questions->items[0]
								  : NULL;
}

/* Its fixed members; NULL: it is too large, or cannot be read. */
static const struct json *fixed_of(const struct insight_ask *a, struct arena *scratch)
{
	struct ask ask = { .fixed = a->fixed };
	const struct json *fixed;

	return a->fixed.len && ask_fixed(&ask, scratch, &fixed, NULL) == OK ? fixed
									    : NULL;
}

static void pattern_find(
	struct buf *out, const struct insight_ask *a, struct arena *scratch)
{
	const struct json *fixed = fixed_of(a, scratch);
	const struct json *operation = json_get(fixed, "operation");
	struct str rest = a->search, line = STR_NONE;

	if (a->kind == ASK_APPROVAL && json_is(operation, JSON_OBJECT))
		pattern_of_operation(out, operation, scratch);
	else if (first_question(fixed))
		pattern_of_text(out, json_text(json_get(first_question(fixed), "text")));
	else if (str_cut(&rest, '\n', &line))
		pattern_of_text(out, line);
}

static struct insight_group *question_new(struct insight_questions *q, struct str id)
{
	struct insight_group *g;

	if (q->groups.by_id.len >= PATTERNS_MAX) return NULL;
	g = group_of(&q->groups, id, STR_NONE);
	if (!g || g->more) return g;
	g->more = ARENA_NEW(&q->groups.arena, struct question_more);
	if (!g->more) return NULL;
	more_of(g)->pattern = str_from(g->id, 2);
	return g;
}

/* "1 pattern": the number is the kind's. What a search text says of an approval's call is its tool
 * alone. NULL: out of memory, or there are too many. */
static struct insight_group *question_of(
	struct insight_questions *q, const struct insight_ask *a)
{
	struct arena scratch = { 0 };
	struct insight_group *g = NULL;
	struct str text;

	buf_clear(&q->key);
	buf_print(&q->key, "%d %.*s", (int)a->kind, STR_ARGS(a->search));
	text = buf_str(&q->key);
	if (a->kind != ASK_APPROVAL) g = table_get(&q->texts, text);
	if (g) return g;
	text = a->kind != ASK_APPROVAL && q->texts.len < TEXTS_MAX
		       ? arena_str(&q->groups.arena, text)
		       : STR_NONE;
	buf_clear(&q->key);
	buf_print(&q->key, "%d ", (int)a->kind);
	pattern_find(&q->key, a, &scratch);
	arena_done(&scratch);
	if (q->key.failed) return NULL;
	g = table_get(&q->groups.by_id, buf_str(&q->key));
	if (!g) g = question_new(q, buf_str(&q->key));
	if (g) more_of(g)->kind = a->kind;
	if (g && text.len && !table_put(&q->texts, text, g)) return NULL;
	return g;
}

/* ---- counting ---- */

static void agent_note(
	struct insight_questions *q, struct question_more *m, const struct insight_ask *a)
{
	struct str name = a->agent_name.len ? a->agent_name : a->agent;

	for (size_t i = 0; i < m->agents_len; i++)
		if (str_eq(m->agents[i], name)) return;
	if (m->agents_len < AGENTS_SHOWN)
		m->agents[m->agents_len++] = arena_str(&q->groups.arena, name);
}

/* The one value of an answer in its full form: a decision, a number, yes or no, what was selected.
 * NULL: it is a text. */
static const struct json *value_of(const struct json *given)
{
	const struct json *selected = json_get(given, "selected");

	if (json_is(selected, JSON_ARRAY))
		return selected->count == 1 ? &selected->items[0] : selected;
	return json_get(given, "value");
}

static void answer_note(struct insight_questions *q, struct question_more *m,
	const struct insight_ask *a, struct arena *scratch)
{
	const struct json *answer;
	struct str value;
	size_t i = 0;

	if (!a->user.len || json_read(a->answer, NULL, scratch, &answer, NULL) ||
		!json_is(answer, JSON_OBJECT) || !answer->count ||
		!value_of(&answer->members[0].value))
		return;
	buf_clear(&q->key);
	json_canonical(&q->key, value_of(&answer->members[0].value));
	value = buf_str(&q->key);
	while (i < m->values_len && !str_eq(m->values[i].value, value))
		i++;
	if (i == VALUES_MAX || q->key.failed) return;
	if (i == m->values_len)
		m->values[m->values_len++].value = arena_str(&q->groups.arena, value);
	m->values[i].count++;
}

static bool session_note(
	struct insight_questions *q, struct insight_group *g, const struct insight_ask *a)
{
	bool completed = str_is(a->session_status, "completed");
	struct asked_session *s;
	struct session_counts *to;

	if (!completed && !str_is(a->session_status, "failed")) return true;
	buf_clear(&q->key);
	buf_print(&q->key, "%p %.*s", (void *)g, STR_ARGS(a->session));
	s = table_get(&q->sessions, buf_str(&q->key));
	if (s && (s->answered || !a->user.len)) return true;
	if (s) { /* counted as one in which nobody answered */
		*(completed ? &more_of(g)->other.completed : &more_of(g)->other.failed) -=
			1;
	} else {
		s = ARENA_NEW(&q->groups.arena, struct asked_session);
		if (!s || !table_put(&q->sessions,
				  arena_str(&q->groups.arena, buf_str(&q->key)), s))
			return false;
	}
	s->answered = a->user.len > 0;
	to = s->answered ? &more_of(g)->answered : &more_of(g)->other;
	*(completed ? &to->completed : &to->failed) += 1;
	return !q->groups.arena.failed;
}

bool questions_count(struct insight_questions *q, const struct insight_ask *a)
{
	struct arena scratch = { 0 };
	struct insight_group *g = question_of(q, a);

	if (!g) return q->groups.by_id.len >= PATTERNS_MAX;
	if (!group_add(g, a)) return false;
	more_of(g)->last = arena_str(&q->groups.arena, a->id);
	agent_note(q, g->more, a);
	answer_note(q, g->more, a, &scratch);
	arena_done(&scratch);
	return session_note(q, g, a);
}

/* ---- writing ---- */

static int by_expired(const void *a, const void *b)
{
	const struct insight_group *x = *(const struct insight_group *const *)a;
	const struct insight_group *y = *(const struct insight_group *const *)b;

	if (x->by[ASK_EXPIRED] != y->by[ASK_EXPIRED])
		return x->by[ASK_EXPIRED] < y->by[ASK_EXPIRED] ? 1 : -1;
	return groups_by_count(a, b);
}

static int64_t median_of(const struct insight_group *g)
{
	return g->took.len ? g->took.ms[(g->took.len - 1) / 2] : -1;
}

static int by_time(const void *a, const void *b)
{
	const struct insight_group *x = *(const struct insight_group *const *)a;
	const struct insight_group *y = *(const struct insight_group *const *)b;

	if (median_of(x) != median_of(y)) return median_of(x) < median_of(y) ? 1 : -1;
	return groups_by_count(a, b);
}

static int values_order(const void *a, const void *b)
{
	const struct answer_count *x = a, *y = b;

	if (x->count != y->count) return x->count < y->count ? 1 : -1;
	return str_cmp(x->value, y->value);
}

/* In the words of the newest: of an approval its call. */
static struct str text_of(
	const struct ask *a, const struct question_more *m, struct arena *arena)
{
	const struct json *fixed, *operation;
	struct str text;

	if (ask_fixed(a, arena, &fixed, NULL)) return m->pattern;
	operation = json_get(fixed, "operation");
	if (m->kind == ASK_APPROVAL && json_is(operation, JSON_OBJECT))
		return operation_title(operation, TEXT_SHOWN, arena);
	text = json_text(json_get(first_question(fixed), "text"));
	return utf8_first(str_trim(text), TEXT_SHOWN);
}

static void sessions_write(
	struct json_writer *w, const char *name, const struct session_counts *s)
{
	jw_put_object(w, name);
	jw_put_int(w, "completed", s->completed);
	jw_put_int(w, "failed", s->failed);
	jw_object_end(w);
}

static void question_counted_write(
	struct json_writer *w, struct insight_group *g, struct str text)
{
	struct question_more *m = g->more;

	jw_object(w);
	jw_put_str(w, "text", text);
	jw_put_str(w, "pattern", m->pattern);
	jw_put_text(w, "kind", ask_kind_name(m->kind));
	jw_put_int(w, "asks", g->count);
	for (enum ask_status s = ASK_ANSWERED; s <= ASK_CANCELLED; s++)
		jw_put_int(w, ask_status_name(s), g->by[s]);
	jw_put_int(w, "by_rules", g->by_rules);
	group_write_median(w, g);
	jw_put_array(w, "agents");
	for (size_t i = 0; i < m->agents_len; i++)
		jw_str(w, m->agents[i]);
	jw_array_end(w);
	jw_put_array(w, "answers");
	if (m->values_len)
		qsort(m->values, m->values_len, sizeof *m->values, values_order);
	for (size_t i = 0; i < m->values_len && i < VALUES_SHOWN; i++) {
		jw_object(w);
		jw_put_raw(w, "value", m->values[i].value);
		jw_put_int(w, "count", m->values[i].count);
		jw_object_end(w);
	}
	jw_array_end(w);
	jw_put_object(w, "sessions");
	sessions_write(w, "answered", &m->answered);
	sessions_write(w, "other", &m->other);
	jw_object_end(w);
	jw_put_str(w, "last", m->last);
	jw_object_end(w);
}

enum err questions_counted_write(struct json_writer *w, struct insight_questions *q,
	enum question_order order, struct rows *rows, int64_t ws, struct fault *why)
{
	static group_order *const orders[] = {
		[ORDER_ASKS] = groups_by_count,
		[ORDER_EXPIRED] = by_expired,
		[ORDER_TIME] = by_time,
	};
	struct insight_group **list;
	size_t len;
	enum err e = OK;

	for (struct insight_group *g = q->groups.first; g; g = g->next)
		durations_sort(g->took.ms, g->took.len);
	list = groups_sorted(&q->groups, orders[order], &len);
	if (!list) return fail_memory(why);
	jw_array(w);
	for (size_t i = 0; !e && i < len; i++) {
		struct ask *a;

		e = rows_fetch_ask(rows, ws, more_of(list[i])->last, &a, why);
		if (!e)
			question_counted_write(
				w, list[i], text_of(a, list[i]->more, &q->groups.arena));
	}
	jw_array_end(w);
	if (!e && q->groups.arena.failed) e = fail_memory(why);
	return e;
}

void questions_done(struct insight_questions *q)
{
	table_done(&q->texts);
	table_done(&q->sessions);
	buf_done(&q->key);
	groups_done(&q->groups);
}
