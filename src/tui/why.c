/* why.c - why a person is asked, in a sentence. web/src/parts/WhyAsked.svelte says the same. */
#include "tui/why.h"

#include "base/keep.h"
#include "core/operation.h"
#include "text/msg.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* As the agent named it; RISK_NONE: it named none. */
static enum risk risk_said(const struct json *ask)
{
	enum risk risk = RISK_NONE;
	struct str said = json_text(json_get(json_get(ask, "operation"), "risk"));

	return risk_read(said, &risk) ? risk : RISK_NONE;
}

static bool risk_differs(const struct json *ask)
{
	return risk_said(ask) != RISK_NONE && ask_risk(ask) != RISK_NONE &&
	       risk_said(ask) != ask_risk(ask);
}

static bool has_require(const struct json *ask)
{
	const struct json *require = json_get(ask, "require");

	return require && require->type != JSON_NULL;
}

bool why_wanted(const struct json *ask)
{
	return ask_pending(ask) && json_is(json_get(ask, "operation"), JSON_OBJECT) &&
	       (has_require(ask) || risk_differs(ask));
}

void why_body(struct json_writer *w, const struct json *ask)
{
	struct str project = json_text(json_get(ask, "project"));

	jw_object(w);
	jw_put_json(w, "operation", json_get(ask, "operation"));
	jw_put_str(w, "agent", json_text(json_get(json_get(ask, "agent"), "name")));
	jw_put_some(w, "project", project);
	jw_object_end(w);
}

static struct str risk_words(struct arena *arena, enum risk risk)
{
	return MSG(arena, arena_print(arena, "web.risk.%s", risk_name(risk)).at);
}

/* "the rule Payments, a rule": those that want a person. Empty: none does. */
static void rules_add(struct buf *out, const struct json *fits, struct arena *arena)
{
	for (uint32_t i = 0; json_is(fits, JSON_ARRAY) && i < fits->count; i++) {
		struct str note = json_text(json_get(&fits->items[i], "note"));

		if (!str_is(json_text(json_get(&fits->items[i], "effect")), "ask"))
			continue;
		if (out->len) buf_add_text(out, ", ");
		buf_add(out, MSG(arena, note.len ? "web.why.rule" : "web.why.unnamed"));
		if (note.len) buf_add_char(out, ' ');
		buf_add(out, safe_line(arena, note));
	}
}

static struct str reason_words(
	const struct json *ask, const struct json *tried, struct arena *arena)
{
	struct buf out = { .max = 8192 };
	struct str agent = json_text(json_get(json_get(ask, "agent"), "name"));

	rules_add(&out, json_get(tried, "fits"), arena);
	if (!out.len)
		buf_add(&out, has_require(ask)
				      ? MSG(arena, "web.why.agent",
						{ "agent", safe_line(arena, agent) })
				      : MSG(arena, "web.why.policy"));
	return buf_keep_done(&out, arena);
}

void why_draw(struct page *p, const struct json *ask, const struct json *tried)
{
	struct buf line = { .max = 16384 };
	struct arena arena = { 0 };
	struct str agent = json_text(json_get(json_get(ask, "agent"), "name"));

	if (!why_wanted(ask)) return;
	if (json_is(tried, JSON_OBJECT)) {
		buf_add(&line, MSG(&arena, "web.why"));
		buf_add_char(&line, ' ');
		buf_add(&line, reason_words(ask, tried, &arena));
		buf_add_char(&line, '.');
	}
	if (risk_differs(ask)) {
		if (line.len) buf_add_char(&line, ' ');
		buf_add(&line, MSG(&arena, "web.why.risk",
				       { "risk", risk_words(&arena, ask_risk(ask)) },
				       { "agent", safe_line(&arena, agent) },
				       { "said", risk_words(&arena, risk_said(ask)) }));
	}
	if (line.len) page_wrap(p, STYLE_SOFT, 0, buf_str(&line));
	buf_done(&line);
	arena_done(&arena);
}
