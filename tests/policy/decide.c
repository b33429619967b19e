/* decide.c - what the engine says to lines of JSON on stdin: rules and operations, a set a
 * line. See random.mjs, which writes them, and README.md.
 *
 * {"rules": […], "without": 2, "policy": {…}, "asks": [{"operation", "agent", "project",
 * "session", "alone"}]} → {"rules": [true, …], "policy": true, "said": [[effect, risk, [hits],
 * mode], …], "without": [effect, …]}. A rule that is refused is left out. `without` is the same
 * set without that rule. */
#include <stdio.h>
#include <stdlib.h>

#include "core/policy/policy.h"

enum { RULES_MAX_HERE = 4096 };

static const int64_t NOW_MS = 1000000;

struct set {
	struct rule_record rules[RULES_MAX_HERE];
	size_t len;
};

static void die(const char *why)
{
	fprintf(stderr, "decide: %s\n", why);
	exit(2);
}

static void rules_read(const struct json *list, struct set *out, struct arena *arena,
	struct json_writer *w)
{
	out->len = list->count;
	jw_array(w);
	for (uint32_t i = 0; i < list->count; i++) {
		struct fault why = { 0 };
		struct rule_record *rule = &out->rules[i];

		*rule = (struct rule_record){ 0 };
		bool ok = rule_read(&list->items[i], NULL, NULL, NOW_MS, arena, rule,
				  &why) == OK;
		if (!ok) rule->effect = STR_NONE;
		rule->id = arena_print(arena, "%u", (unsigned)i);
		jw_bool(w, ok);
	}
	jw_array_end(w);
}

static struct rule_set *set_make(const struct set *from, int64_t without)
{
	struct rule_set *set = rule_set_new();

	for (size_t i = 0; i < from->len; i++)
		if (from->rules[i].effect.len && (int64_t)i != without &&
			rule_set_add(set, &from->rules[i], NULL))
			die("out of memory");
	if (rule_set_seal(set, NULL)) die("out of memory");
	return set;
}

static struct str effect_text(enum effect e)
{
	return str_of(effect_name(e) ? effect_name(e) : "none");
}

static struct operation_view look_of(const struct json *ask, struct arena *arena)
{
	struct operation_view look;

	operation_view(&look, json_get(ask, "operation"), NULL,
		json_text(json_get(ask, "agent")), json_text(json_get(ask, "project")),
		json_text(json_get(ask, "session")), arena);
	return look;
}

static struct ruling decide(struct rule_set *set, const struct json *ask,
	const struct operation_view *look, enum risk risk, struct arena *arena)
{
	bool alone = json_is(json_get(ask, "alone"), JSON_TRUE);
	struct ruling out;

	rule_set_decide(
		set, look, risk, NOW_MS, alone ? 0 : DECIDE_NO_ALLOW, arena, &out);
	if (arena->failed) die("out of memory");
	return out;
}

/* The explanation names those that decided and none else as not lost. */
static void explained(struct rule_set *set, const struct operation_view *look,
	enum risk risk, struct arena *arena)
{
	struct ruling out;
	size_t deciding = 0;

	rule_set_decide(set, look, risk, NOW_MS, DECIDE_EXPLAIN, arena, &out);
	for (size_t i = 0; i < out.fits_len; i++)
		deciding += out.fits[i].lost == LOST_NOT;
	if (deciding != out.hits_len) die("the explanation differs from the decision");
}

static void said_write(
	struct json_writer *w, const struct ruling *r, enum risk risk, enum effect mode)
{
	jw_array(w);
	jw_str(w, effect_text(r->effect));
	jw_text(w, risk_name(risk));
	jw_array(w);
	for (size_t i = 0; i < r->hits_len; i++)
		jw_raw(w, r->hits[i]->id);
	jw_array_end(w);
	jw_str(w, effect_text(mode));
	jw_array_end(w);
}

static void line_decide(
	const struct json *line, struct arena *arena, struct json_writer *w)
{
	static struct set from;
	const struct json *asks = json_get(line, "asks");
	int64_t without = json_get(line, "without")->integer;
	struct policy policy = { 0 };
	struct str json;

	jw_object(w);
	jw_key(w, "rules");
	rules_read(json_get(line, "rules"), &from, arena, w);
	jw_key(w, "policy");
	bool ok = policy_read(json_get(line, "policy"), str_of(policy_default), NULL,
			  arena, &json, &policy, NULL) == OK;
	jw_bool(w, ok);
	struct rule_set *set = set_make(&from, -1), *less = set_make(&from, without);
	struct str room[64];
	size_t len = 0;
	jw_key(w, "said");
	jw_array(w);
	for (uint32_t i = 0; i < asks->count && i < 64; i++) {
		const struct json *ask = &asks->items[i];
		struct operation_view look = look_of(ask, arena);
		enum risk risk = policy_risk(&policy, &look);
		struct ruling r = decide(set, ask, &look, risk, arena);

		said_write(w, &r, risk, policy_effect(&policy, look.type, risk));
		explained(set, &look, risk, arena);
		r = decide(less, ask, &look, risk, arena);
		room[len++] = effect_text(r.effect);
	}
	jw_array_end(w);
	jw_key(w, "without");
	jw_array(w);
	for (size_t i = 0; i < len; i++)
		jw_str(w, room[i]);
	jw_array_end(w);
	jw_object_end(w);
	rule_set_free(set);
	rule_set_free(less);
}

int main(void)
{
	char *line = NULL;
	size_t room = 0;
	ssize_t len;

	while ((len = getline(&line, &room, stdin)) > 0) {
		struct arena arena = { 0 };
		struct buf out = { 0 };
		struct json_writer w = { .out = &out };
		const struct json *json;
		struct fault why = { 0 };

		if (json_read(str_make(line, (size_t)len), NULL, &arena, &json, &why))
			die(why.detail);
		line_decide(json, &arena, &w);
		buf_add_char(&out, '\n');
		fwrite(out.at, 1, out.len, stdout);
		fflush(stdout);
		buf_done(&out);
		arena_done(&arena);
	}
	free(line);
	return 0;
}
