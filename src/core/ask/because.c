/* because.c - why a person is asked. */
#include "core/ask/because.h"

#include "base/keep.h"

#define TEXT(literal)                                                                    \
	{                                                                                \
		literal, sizeof(literal) - 1                                             \
	}
/* `kept`: without rules, as most asks are. */
#define KIND(word, text)                                                                 \
	{                                                                                \
		TEXT(word), TEXT("{\"by\":\"" word "\",\"rules\":[]}"), TEXT(text)       \
	}

static const struct {
	struct str name, kept, sentence;
} kinds[] = {
	[BECAUSE_AGENT] = KIND("agent", "the agent asks for a person"),
	[BECAUSE_POLICY] = KIND(
		"policy", "the policy requires a person for operations like this one"),
	[BECAUSE_RULE] = KIND("rule", "a rule requires a person"),
	[BECAUSE_STOP] = KIND("stop", "a rule allows it, but agents are stopped"),
	[BECAUSE_VERIFIER] = KIND(
		"verifier", "a verifier raised the risk, so more approvals are required"),
	[BECAUSE_RUN] = KIND("run", "the run cannot continue without a person"),
};

struct str because_keep(enum because by, const struct rule_record *const *rules,
	size_t len, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };

	if (!len) return kinds[by].kept;
	jw_object(&w);
	jw_put_str(&w, "by", kinds[by].name);
	jw_put_array(&w, "rules");
	for (size_t i = 0; i < len; i++) {
		jw_object(&w);
		jw_put_str(&w, "id", rules[i]->id);
		jw_put_str(&w, "note", rules[i]->note);
		jw_object_end(&w);
	}
	jw_array_end(&w);
	jw_object_end(&w);
	return buf_keep_done(&b, arena);
}

void because_event(struct json_writer *w, const struct ask *a)
{
	struct arena arena = { 0 };
	const struct json *kept = NULL, *rules;

	jw_key(w, "asked_because");
	if (str_eq(a->because, kinds[BECAUSE_AGENT].kept)) {
		jw_raw(w, a->because);
		return;
	}
	if (!a->because.len || json_read(a->because, NULL, &arena, &kept, NULL)) {
		jw_null(w);
		arena_done(&arena);
		return;
	}
	rules = json_get(kept, "rules");
	jw_object(w);
	jw_put_str(w, "by", json_text(json_get(kept, "by")));
	jw_put_array(w, "rules");
	for (uint32_t i = 0; json_is(rules, JSON_ARRAY) && i < rules->count; i++)
		jw_str(w, json_text(json_get(&rules->items[i], "id")));
	jw_array_end(w);
	jw_object_end(w);
	arena_done(&arena);
}

struct str because_sentence(const struct ask *a, struct arena *arena)
{
	const struct json *kept, *rules;
	struct buf b = { .max = 65536 };
	struct str by;

	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_eq(a->because, kinds[i].kept)) return kinds[i].sentence;
	if (!a->because.len || json_read(a->because, NULL, arena, &kept, NULL))
		return STR_NONE;
	by = json_text(json_get(kept, "by"));
	rules = json_get(kept, "rules");
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (str_eq(by, kinds[i].name)) buf_add(&b, kinds[i].sentence);
	for (uint32_t i = 0, said = 0; json_is(rules, JSON_ARRAY) && i < rules->count;
		i++) {
		struct str note = json_text(json_get(&rules->items[i], "note"));

		if (!note.len) continue;
		buf_add_text(&b, said++ ? "; " : ": ");
		buf_add(&b, note);
	}
	return buf_keep_done(&b, arena);
}
