/* rule.c - reads the body of a rule, and what it asks for. */
#include "core/policy/rule.h"

#include "base/clock.h"
#include "base/keep.h"
#include "core/shared/shape.h"

enum { VERIFY_MAX = 40 };

#define SECOND_MS 1000
#define YEAR_MS	  (366LL * 86400 * 1000)
static const int64_t USES_MAX = 1000000;

enum {
	B_EFFECT,
	B_NOTE,
	B_ENABLED,
	B_MATCH,
	B_ASK,
	B_EXPIRES,
	B_USES,
	B_FROM,
	B_SHADOW,
	B_LEN
};

static const struct str names[B_LEN] = {
	[B_EFFECT] = STR("effect"),
	[B_NOTE] = STR("note"),
	[B_ENABLED] = STR("enabled"),
	[B_MATCH] = STR("match"),
	[B_ASK] = STR("ask"),
	[B_EXPIRES] = STR("expires_at"),
	[B_USES] = STR("uses_left"),
	[B_FROM] = STR("made_from"),
	[B_SHADOW] = STR("shadow"),
};
static const struct members members = { names, B_LEN };

static const char *const effect_names[] = {
	[EFFECT_NONE] = NULL,
	[EFFECT_ALLOW] = "allow",
	[EFFECT_ASK] = "ask",
	[EFFECT_DENY] = "deny",
};

ENUM_NAMES(effect, effect_names)

/* ---- what an ask rule asks for ---- */

static bool verifier_named(struct str name)
{
	return !name.len || text_plain_name(name, "-_", VERIFY_MAX);
}

static void require_member_read(
	const struct shape_reading *r, const struct shape_member *m, const struct json *v)
{
	struct json_place at = place_member(r->at, m->name);
	struct rule_ask *ask = r->out;

	if (v) require_check(r->check, &at, v, r->arena, &ask->require);
}

static void verifier_check(const struct shape_reading *r)
{
	const struct rule_ask *ask = r->out;

	if (!verifier_named(ask->verify))
		wrong_member(r->check, r->at, STR("verify"),
			"must be the name of a verifier: a-z, 0-9, - and _");
}

static const struct shape_member rule_ask_members[] = {
	{ STR("require"), OF_OWN, .read = require_member_read },
	{ STR("risk"), OF_WORD, AT(rule_ask, risk), WORDS(risk_names) },
	{ STR("timeout"), OF_SPAN, AT(rule_ask, timeout_ms), SECOND_MS, YEAR_MS },
	{ STR("verify"), OF_TEXT, AT(rule_ask, verify), 1, VERIFY_MAX,
		TEXT_LINE | TEXT_FILLED },
};
/* As RuleAsk in openapi.json. */
static const struct shape rule_ask_shape = { SHAPE(rule_ask_members, rule_ask),
	.together = verifier_check };

static struct str ask_keep(const struct json *json, struct arena *arena)
{
	struct buf b = { .max = 65536 };
	struct json_writer w = { .out = &b };
	bool any = shape_copy(&w, &rule_ask_shape, json);
	struct str kept = buf_keep_done(&b, arena);

	return any ? kept : STR_NONE;
}

/* ---- the body ---- */

struct rule_reading {
	struct check check;
	struct json_place root;
	const struct json *body;
	const struct json *m[B_LEN];
	const struct rule_record *before; /* or NULL */
	struct arena *arena;
	struct rule_record rule;
	enum effect effect;
};

/* The body says something about it, if only null. */
static bool brings(const struct rule_reading *r, int which)
{
	return json_get_str(r->body, names[which]) != NULL;
}

static void effect_check(struct rule_reading *r)
{
	if (r->m[B_EFFECT])
		r->rule.effect = arena_str(r->arena, json_text(r->m[B_EFFECT]));
	if (!r->m[B_EFFECT] && !r->before)
		wrong_member(&r->check, &r->root, names[B_EFFECT], "required");
	else if (!effect_read(r->rule.effect, &r->effect))
		wrong_member(&r->check, &r->root, names[B_EFFECT],
			"must be allow, ask or deny");
}

/* {ask}, as a suggestion has it. What the call was is looked up, not believed. */
static void from_check(struct rule_reading *r)
{
	static const struct str parts[] = { STR("ask"), STR("tool"), STR("subject") };
	static const struct members from_members = { parts, 3 };
	struct json_place at = place_member(&r->root, names[B_FROM]);
	const struct json *m[3];

	if (!r->m[B_FROM]) return;
	if (r->before)
		wrong(&r->check, &at, "cannot be changed");
	else if (members_read(&r->check, &at, r->m[B_FROM], &from_members, NULL, m)) {
		r->rule.made_from = arena_str(r->arena, json_text(m[0]));
		if (!r->rule.made_from.len)
			wrong_member(&r->check, &at, parts[0],
				"must be the id of an approval");
	}
}

static void match_check(struct rule_reading *r)
{
	struct json_place at = place_member(&r->root, names[B_MATCH]);
	struct json empty = { .type = JSON_OBJECT };
	const struct json *json = r->m[B_MATCH];
	struct rule_match ignored = { 0 };
	struct buf b = { .max = 1 << 20 };
	struct json_writer w = { .out = &b };

	/* What stays is checked, too: another effect may make a pattern unfit. */
	if (!json && r->before && !brings(r, B_MATCH) &&
		json_read(r->before->match, NULL, r->arena, &json, NULL))
		json = &empty;
	if (!json) json = &empty;
	rule_match_check(&r->check, &at, json, r->effect, r->rule.made_from.len > 0,
		r->arena, &ignored);
	if (!rule_match_write(&w, json) && r->effect == EFFECT_ALLOW &&
		json->type == JSON_OBJECT)
		wrong(&r->check, &at,
			"must not be empty: an allow says what it allows; add tool, or "
			"let the policy's mode be auto");
	r->rule.match = buf_keep_done(&b, r->arena);
}

static void adds_check(struct rule_reading *r)
{
	struct json_place at = place_member(&r->root, names[B_ASK]);
	struct rule_ask ignored = { 0 };

	if (r->m[B_ASK] && r->effect != EFFECT_ASK && r->effect != EFFECT_NONE)
		wrong(&r->check, &at, "is for the effect ask alone");
	else if (r->m[B_ASK])
		shape_check(&rule_ask_shape, &r->check, &at, r->m[B_ASK], NULL, r->arena,
			&ignored);
	if (r->m[B_ASK])
		r->rule.ask = ask_keep(r->m[B_ASK], r->arena);
	else if (brings(r, B_ASK) || r->effect != EFFECT_ASK)
		r->rule.ask = STR_NONE;
}

static void end_check(struct rule_reading *r, int64_t now_ms)
{
	if (brings(r, B_EXPIRES)) r->rule.expires_ms = 0;
	if (r->m[B_EXPIRES] &&
		!time_read(json_text(r->m[B_EXPIRES]), &r->rule.expires_ms))
		wrong_member(&r->check, &r->root, names[B_EXPIRES],
			"must be a time such as 2026-11-15T17:30:00Z, or null");
	else if (r->m[B_EXPIRES] && r->rule.expires_ms <= now_ms)
		wrong_member(&r->check, &r->root, names[B_EXPIRES],
			"never matches: the time is past");
	if (brings(r, B_USES)) r->rule.uses_left = -1;
	if (r->m[B_USES] &&
		count_read(&r->check, &r->root, names[B_USES], r->m[B_USES], 1, USES_MAX))
		r->rule.uses_left = r->m[B_USES]->integer;
}

enum err rule_read(const struct json *body, const struct rule_record *before,
	const struct members *also, int64_t now_ms, struct arena *arena,
	struct rule_record *out, struct fault *why)
{
	struct rule_reading r = {
		.check = { .why = why },
		.root = place_root(""),
		.body = body,
		.before = before,
		.arena = arena,
		.rule = before ? *before
			       : (struct rule_record){ .enabled = true, .uses_left = -1 },
	};

	if (members_read(&r.check, &r.root, body, &members, also, r.m)) {
		effect_check(&r);
		if (brings(&r, B_NOTE))
			r.rule.note = arena_str(
				arena, text_read(&r.check, &r.root, names[B_NOTE],
					       r.m[B_NOTE], RULE_NOTE_MAX, TEXT_LINE));
		r.rule.enabled = flag_read(&r.check, &r.root, names[B_ENABLED],
			r.m[B_ENABLED], r.rule.enabled);
		r.rule.shadow = flag_read(
			&r.check, &r.root, names[B_SHADOW], r.m[B_SHADOW], r.rule.shadow);
		from_check(&r);
		match_check(&r);
		adds_check(&r);
		end_check(&r, now_ms);
	}
	enum err e = check_end(&r.check, arena);
	if (e) return e;
	out->effect = r.rule.effect;
	out->note = r.rule.note;
	out->enabled = r.rule.enabled;
	out->shadow = r.rule.shadow;
	out->match = r.rule.match;
	out->ask = r.rule.ask;
	out->expires_ms = r.rule.expires_ms;
	out->uses_left = r.rule.uses_left;
	if (r.m[B_FROM]) out->made_from = r.rule.made_from;
	return OK;
}

enum err rule_parse(const struct rule_record *rule, struct arena *arena,
	struct rule_match *match, struct rule_ask *ask, struct fault *why)
{
	struct check c = { .why = why };
	struct json_place at_match = place_root("/match"), at_ask = place_root("/ask");
	struct rule_match m = { 0 };
	struct rule_ask a = { 0 };
	const struct json *json;
	enum effect effect;

	if (!effect_read(rule->effect, &effect))
		return fail(
			why, ERR_INVALID, "rule %.*s has no effect", STR_ARGS(rule->id));
	/* Borrowed by what is parsed: it must live as long. */
	enum err e = json_read(arena_str(arena, rule->match), NULL, arena, &json, why);
	if (e) return e;
	rule_match_check(&c, &at_match, json, effect, rule->made_from.len > 0, arena, &m);
	if (rule->ask.len) {
		e = json_read(arena_str(arena, rule->ask), NULL, arena, &json, why);
		if (e) return e;
		shape_check(&rule_ask_shape, &c, &at_ask, json, NULL, arena, &a);
	}
	e = check_end(&c, arena);
	if (e) return e;
	*match = m;
	if (ask) *ask = a;
	return OK;
}

/* ---- loosening ---- */

static bool ends_later(int64_t a_ms, int64_t b_ms) /* 0: never */
{
	return a_ms != b_ms && (a_ms == 0 || (b_ms != 0 && a_ms > b_ms));
}

static bool fits_oftener(int64_t a, int64_t b) /* -1: always */
{
	return a != b && (a < 0 || (b >= 0 && a > b));
}

/* `less` lets less through than `more`: an allow that lasts no longer, a stop no shorter. */
static bool outlives(const struct rule_record *more, const struct rule_record *less)
{
	return (more->enabled || !less->enabled) &&
	       !ends_later(less->expires_ms, more->expires_ms) &&
	       !fits_oftener(less->uses_left, more->uses_left);
}

bool rule_loosens(const struct rule_record *before, const struct rule_record *after)
{
	struct arena arena = { 0 };
	struct rule_match was, is;
	enum effect e_was = EFFECT_DENY, e_is = EFFECT_ALLOW;
	bool tighter = false;

	effect_read(before->effect, &e_was);
	effect_read(after->effect, &e_is);
	if (e_was == EFFECT_ALLOW && e_is != EFFECT_ALLOW) return false;
	/* A shadow decides nothing: what is one afterwards takes away what it was. */
	if (after->shadow) return !before->shadow && e_was != EFFECT_ALLOW;
	if (before->shadow) return e_is == EFFECT_ALLOW;
	if (e_is >= e_was && rule_parse(before, &arena, &was, NULL, NULL) == OK &&
		rule_parse(after, &arena, &is, NULL, NULL) == OK)
		tighter =
			e_was == EFFECT_ALLOW
				? rule_match_covers(&was, &is) && outlives(before, after)
				: rule_match_covers(&is, &was) &&
					  outlives(after, before) &&
					  (e_is == EFFECT_DENY ||
						  str_eq(before->ask, after->ask) ||
						  !before->ask.len);
	arena_done(&arena);
	return !tighter;
}
