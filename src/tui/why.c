/* why.c - why a person is asked, in a sentence. web/src/parts/ask/WhyAsked.svelte says the same. */
#include "tui/why.h"

#include "base/keep.h"
#include "core/policy/operation.h"
#include "text/msg.h"
#include "text/problem_words.h"
#include "text/safe_text.h"
#include "tui/words.h"

/* As the agent named it; RISK_NONE: it named none. */
static enum risk risk_said(const struct json *ask)
{
	enum risk risk = RISK_NONE;
	struct str said = json_text_of(json_get(ask, "operation"), "risk");

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

/* "the rule Payments, a rule" */
static struct str rules_words(const struct json *rules, struct arena *arena)
{
	struct buf out = { .max = 65536 };

	for (const struct json *rule = NULL; json_each(rules, &rule);) {
		struct str note = json_text_of(rule, "note");

		words_join(&out, ", ",
			MSG(arena, note.len ? "web.why.rule" : "web.why.unnamed"));
		if (note.len) buf_add_char(&out, ' ');
		buf_add(&out, safe_line(arena, note));
	}
	return buf_keep_done(&out, arena);
}

static struct str reason_words(const struct json *ask, struct arena *arena)
{
	const struct json *because = json_get(ask, "asked_because");
	struct str agent = json_text_of(json_get(ask, "agent"), "name");
	struct str by = json_text_of(because, "by");

	if (!json_is(because, JSON_OBJECT)) return STR_NONE;
	if (str_is(by, "rule")) return rules_words(json_get(because, "rules"), arena);
	if (!str_is(by, "agent"))
		return safe_line(arena,
			problem_words(json_text_of(because, "text"), msg_lang(), arena));
	return has_require(ask)
		       ? MSG(arena, "web.why.agent", { "agent", safe_line(arena, agent) })
		       : STR_NONE;
}

void why_draw(struct page *p, const struct json *ask)
{
	struct buf line = { .max = 16384 };
	struct str reason = reason_words(ask, &p->words);

	if (reason.len)
		buf_print(&line, "%s %.*s.", msg_text("web.why"), STR_ARGS(reason));
	if (risk_differs(ask))
		words_join(&line, " ",
			MSG(&p->words, "web.why.risk",
				{ "risk", words_risk(ask_risk(ask), &p->words) },
				{ "agent", json_text_of(json_get(ask, "agent"), "name") },
				{ "said", words_risk(risk_said(ask), &p->words) }));
	page_wrap(p, STYLE_SOFT, 0, buf_str(&line));
	buf_done(&line);
}
