/* operation_view.c - an operation as rules see it. */
#include "base/keep.h"
#include "base/utf8.h"
#include "core/policy/rule_set_inner.h"
#include "core/shared/body.h"
#include "core/shared/glob.h"

static bool is_command(const struct json *operation, const struct json *arguments)
{
	return str_is(json_text(json_get(operation, "type")), "command") &&
	       json_is(json_get(arguments, "argv"), JSON_ARRAY);
}

void operation_view(struct operation_view *out, const struct json *operation,
	const struct json *arguments, struct str agent, struct str project,
	struct str session, struct arena *arena)
{
	struct str name = json_text(json_get(operation, "name"));

	if (!arguments) arguments = json_get(operation, "arguments");
	*out = (struct operation_view){
		.name = name,
		.open = arena_print(arena, "%.*s(", STR_ARGS(name)),
		.type = operation_type_of(operation),
		.arguments = arguments,
		.agent = agent,
		.project = project,
		.session = session,
	};
	risk_read(json_text(json_get(operation, "risk")), &out->claimed);
	operation_same(operation, arguments, out->same);
	if (is_command(operation, arguments)) {
		out->also_name = STR("Bash");
		out->also_open = STR("Bash(");
		out->subjects_len = subject_read_command(
			json_get(arguments, "argv"), arena, out->subjects);
	} else {
		out->subjects_len = subject_read(name, arguments, arena, out->subjects);
	}
	out->failed = arena->failed || out->subjects_len == 0 || !out->same[0];
}

void rule_from(struct rule_record *r, struct str ask, const struct operation_view *look,
	bool sensitive, struct arena *arena)
{
	struct str about = look->subjects_len ? look->subjects[0].text : STR_NONE;
	struct str first = utf8_first(str_trim(about), RULE_SUBJECT_MAX);
	struct buf b = { .max = 4096 };

	r->made_from = ask;
	r->from_tool = arena_str(arena, look->name);
	if (sensitive) return;
	text_flatten(&b, first);
	if (first.len < str_trim(about).len) buf_add_text(&b, "…");
	r->from_subject = buf_keep_done(&b, arena);
}

/* ---- one match ---- */

static enum fit and_fit(enum fit a, enum fit b)
{
	return a < b ? a : b;
}

enum fit rule_match_rest(const struct rule_match *m, const struct operation_view *o,
	enum risk risk, struct arena *arena, enum doubt *doubt)
{
	enum fit fit = FIT_YES;

	if ((m->has_type && m->type != o->type) || risk < m->min || risk > m->max ||
		!rule_match_where(m, o->agent, o->project, o->session))
		return FIT_NO;
	if (m->same.len && o->same[0] && !str_is(m->same, o->same)) return FIT_NO;
	if (m->same.len && !o->same[0]) fit = FIT_DOUBT, *doubt = DOUBT_MEMORY;
	for (size_t i = 0; i < m->arguments_len && fit > FIT_NO; i++)
		fit = and_fit(fit,
			argument_test_fit(&m->arguments[i], o->arguments, arena, doubt));
	return fit;
}

bool tool_pattern_named(const struct tool_pattern *p, const struct operation_view *o)
{
	return glob_fits(p->name, o->name) ||
	       (o->also_name.len && glob_fits(p->name, o->also_name));
}

enum fit tools_stop(
	const struct tool_pattern *tools, size_t len, const struct operation_view *o)
{
	enum fit best = FIT_NO;

	for (size_t i = 0; i < len && best < FIT_YES; i++) {
		enum fit fit = tool_pattern_named(&tools[i], o)
				       ? tool_pattern_stops(
						 &tools[i], o->subjects, o->subjects_len)
				       : FIT_NO;

		if (fit > best) best = fit;
	}
	return best;
}

size_t operation_parts(const struct operation_view *o)
{
	const struct subject *s = &o->subjects[0];

	return s->kind == SUBJECT_COMMAND && s->known ? s->line.parts_len : 1;
}

bool tools_allow_part(const struct tool_pattern *tools, size_t len,
	const struct operation_view *o, size_t part)
{
	for (size_t i = 0; i < len; i++)
		if (tool_pattern_named(&tools[i], o) &&
			tool_pattern_allows(&tools[i], &o->subjects[0], part))
			return true;
	return false;
}

bool rule_match_allows_part(
	const struct rule_match *m, const struct operation_view *o, size_t part)
{
	/* The digest says all there is to know, however unclear the text. */
	if (m->tools_len == 0) return m->same.len || !o->subjects[0].unclear;
	return tools_allow_part(m->tools, m->tools_len, o, part);
}

bool rule_fits(const struct rule_match *m, enum effect effect,
	const struct operation_view *o, enum risk risk, struct arena *arena)
{
	enum doubt ignored = DOUBT_NONE;
	enum fit rest;

	if (o->failed) return effect != EFFECT_ALLOW;
	rest = rule_match_rest(m, o, risk, arena, &ignored);
	if (arena->failed) return effect != EFFECT_ALLOW;
	if (effect != EFFECT_ALLOW)
		return rest != FIT_NO &&
		       (m->tools_len == 0 || tools_stop(m->tools, m->tools_len, o));
	if (rest != FIT_YES || risk == RISK_CRITICAL) return false;
	for (size_t i = 0; i < operation_parts(o); i++)
		if (!rule_match_allows_part(m, o, i)) return false;
	return operation_parts(o) > 0;
}
