/* rule_set.c - the rules of a workspace, and what they say about one operation. */
#include "core/policy/rule_set.h"

#include <stdlib.h>

#include "base/mem.h"
#include "core/policy/rule_set_inner.h"
#include "core/shared/glob.h"

/* ---- the set ---- */

struct rule_set *rule_set_new(void)
{
	return mem_alloc(sizeof(struct rule_set));
}

struct rule_set *rule_set_free(struct rule_set *set)
{
	if (!set) return NULL;
	for (int side = 0; side < SET_SIDES; side++) {
		key_index_done(&set->names[side]);
		key_index_done(&set->agents[side]);
		mem_free(set->patterns[side]);
		key_index_done(&set->subjects[side]);
		key_index_done(&set->loose[side]);
		key_index_done(&set->same[side]);
	}
	arena_done(&set->arena);
	mem_free(set->rules);
	mem_free(set->briefs);
	mem_free(set);
	return NULL;
}

enum err rule_set_add(
	struct rule_set *set, const struct rule_record *kept, struct fault *why)
{
	struct set_rule r = { .kept = kept, .effect = EFFECT_DENY };

	if (set->len == set->room) {
		size_t room = set->room ? set->room * 2 : 64;
		void *grown = mem_grow(set->rules, room * sizeof *set->rules);

		if (!grown) return fail(why, ERR_MEMORY, "out of memory");
		set->rules = grown;
		set->room = room;
	}
	effect_read(kept->effect, &r.effect);
	enum err e = rule_parse(kept, &set->arena, &r.match, &r.ask, why);
	if (e == ERR_MEMORY || set->arena.failed)
		return fail(why, ERR_MEMORY, "out of memory");
	r.broken = e != OK;
	set->rules[set->len++] = r;
	return OK;
}

/* How its subject begins: "git push " of Bash(git push *--force*). */
static struct str subject_literal(const struct tool_pattern *p)
{
	return p->host ? STR_NONE : glob_literal(p->or_less ? p->bare : p->subject);
}

/* "Bash(git push " of Bash(git push *--force*). Its name is literal. */
static struct str pattern_key(const struct tool_pattern *p)
{
	return str_first(p->text, p->name.len + 1 + subject_literal(p).len);
}

/* A name that is literal must be the whole name. */
static struct str name_key(const struct tool_pattern *p, struct arena *arena)
{
	struct str name = glob_literal(p->name);

	return name.len < p->name.len ? name
				      : arena_print(arena, "%.*s(", STR_ARGS(name));
}

/* How the agent's name must begin. */
static struct str agent_literal(const struct set_rule *r)
{
	return r->match.literal ? r->match.agent : glob_literal(r->match.agent);
}

static bool rule_index(struct rule_set *set, uint32_t n)
{
	const struct set_rule *r = &set->rules[n];
	int side = r->effect == EFFECT_ALLOW ? SET_ALLOWS : SET_STOPS;
	bool ok = true;

	if (r->broken)
		return side == SET_ALLOWS ||
		       key_index_add(&set->agents[side], STR_NONE, n, NULL);
	if (r->match.same.len)
		return key_index_add(&set->same[side], r->match.same, n, NULL);
	if (r->match.tools_len == 0)
		return key_index_add(&set->agents[side], agent_literal(r), n, NULL);
	for (size_t i = 0; i < r->match.tools_len && ok; i++) {
		const struct tool_pattern *p = &r->match.tools[i];

		if (p->in_brackets && subject_literal(p).len > 0 &&
			glob_literal(p->name).len == p->name.len)
			ok = key_index_add(&set->subjects[side], pattern_key(p), n, p);
		else
			ok = key_index_add(
				p->in_brackets ? &set->loose[side] : &set->names[side],
				name_key(p, &set->arena), n, p);
	}
	return ok && !set->arena.failed;
}

static struct rule_brief brief_of(const struct set_rule *r)
{
	struct rule_brief b = { .min = RISK_LOW, .max = RISK_CRITICAL, .type = -1 };
	struct str agent = agent_literal(r);

	if (r->broken) return b;
	b.agent_len = (uint8_t)(agent.len < sizeof b.agent ? agent.len : sizeof b.agent);
	if (b.agent_len) memcpy(b.agent, agent.at, b.agent_len);
	b.min = (uint8_t)r->match.min;
	b.max = (uint8_t)r->match.max;
	if (r->match.has_type) b.type = (int8_t)r->match.type;
	return b;
}

/* Of the pairs that a pattern has, the one that the fewest others have. */
static int16_t rarest_pair(const struct glob_pairs *p, const uint32_t seen[GLOB_PAIRS])
{
	int best = -1;

	for (int bit = 0; bit < GLOB_PAIRS; bit++)
		if (glob_pairs_has(p, bit) && (best < 0 || seen[bit] < seen[best]))
			best = bit;
	return (int16_t)best;
}

static int loose_cmp(const void *a, const void *b)
{
	const struct loose_pattern *x = a, *y = b;

	return x->rarest != y->rarest ? x->rarest - y->rarest
				      : (x->entry > y->entry) - (x->entry < y->entry);
}

static bool loose_seal(struct rule_set *set, int side)
{
	const struct key_index *x = &set->loose[side];
	struct loose_pattern *of = mem_alloc((x->len + 1) * sizeof *of);
	uint32_t seen[GLOB_PAIRS] = { 0 };

	set->patterns[side] = of;
	if (!of) return false;
	for (size_t i = 0; i < x->len; i++) {
		const struct tool_pattern *p = x->entries[i].pattern;

		of[i] = (struct loose_pattern){ .pairs = p->pairs, .entry = (uint32_t)i };
		for (int bit = 0; bit < GLOB_PAIRS; bit++)
			seen[bit] += glob_pairs_has(&p->pairs, bit);
	}
	for (size_t i = 0; i < x->len; i++)
		of[i].rarest = rarest_pair(&of[i].pairs, seen);
	for (size_t i = 0, end; i < x->len; i = end) {
		for (end = i + 1; end < x->len && x->entries[end].first == (int32_t)i;)
			end++;
		qsort(of + i, end - i, sizeof *of, loose_cmp);
		for (size_t k = end; k-- > i;)
			of[k].past = k + 1 < end && of[k + 1].rarest == of[k].rarest
					     ? of[k + 1].past
					     : (uint32_t)k + 1;
	}
	return true;
}

enum err rule_set_seal(struct rule_set *set, struct fault *why)
{
	set->briefs = mem_alloc((set->len + 1) * sizeof *set->briefs);
	if (!set->briefs) return fail(why, ERR_MEMORY, "out of memory");
	for (size_t i = 0; i < set->len; i++)
		set->briefs[i] = brief_of(&set->rules[i]);
	for (size_t i = 0; i < set->len; i++)
		if (!rule_index(set, (uint32_t)i))
			return fail(why, ERR_MEMORY, "out of memory");
	for (int side = 0; side < SET_SIDES; side++) {
		key_index_seal(&set->names[side]);
		key_index_seal(&set->subjects[side]);
		key_index_seal(&set->loose[side]);
		key_index_seal(&set->same[side]);
		key_index_seal(&set->agents[side]);
		if (!loose_seal(set, side)) return fail(why, ERR_MEMORY, "out of memory");
	}
	return OK;
}

bool set_rule_live(const struct set_rule *r, int64_t now_ms)
{
	return rule_decides(r->kept, now_ms);
}

/* ---- one decision ---- */

/* What is known of a rule so far. */
enum { REST_UNKNOWN = 0, REST_NO, REST_DOUBT, REST_YES };

struct deciding {
	struct rule_set *set;
	const struct operation_view *op;
	enum risk risk;
	int64_t now_ms;
	struct arena *arena;
	uint8_t *rest;	 /* by rule: whether all but its tool fits */
	uint8_t *hit;	 /* by rule: it stops */
	uint32_t *tried; /* by entry of subjects[SET_STOPS]: at which command; or NULL */
};

static bool brief_fits(const struct rule_brief *b, const struct deciding *d)
{
	struct str agent = d->op->agent;

	return d->risk >= (enum risk)b->min && d->risk <= (enum risk)b->max &&
	       (b->type < 0 || b->type == (int8_t)d->op->type) &&
	       (!b->agent_len || (agent.len >= b->agent_len &&
					 memcmp(agent.at, b->agent, b->agent_len) == 0));
}

/* Nobody approves what they asked for, by a rule no more than by an answer. */
static bool allows_own(const struct set_rule *r, const struct operation_view *op)
{
	return r->effect == EFFECT_ALLOW && op->requester.len &&
	       str_eq(op->requester, r->kept->made_user);
}

static enum fit rest_of(struct deciding *d, uint32_t n)
{
	const struct set_rule *r = &d->set->rules[n];
	enum doubt ignored = DOUBT_NONE;

	if (!brief_fits(&d->set->briefs[n], d)) return FIT_NO;
	if (d->rest[n] == REST_UNKNOWN) {
		enum fit fit = !set_rule_live(r, d->now_ms) ? FIT_NO
			       : allows_own(r, d->op)	    ? FIT_NO
			       : r->broken		    ? FIT_DOUBT
					   : rule_match_rest(&r->match, d->op, d->risk,
						     d->arena, &ignored);

		d->rest[n] = (uint8_t)(REST_NO + fit);
	}
	return (enum fit)(d->rest[n] - REST_NO);
}

static bool named(const struct key_entry *e, struct str name)
{
	const struct tool_pattern *p = e->pattern;

	return !p || e->key.len > p->name.len || glob_fits(p->name, name);
}

/* ---- what stops ---- */

static void stop_hit(struct deciding *d, uint32_t n)
{
	if (rest_of(d, n) != FIT_NO) d->hit[n] = 1;
}

static void stops_by_name(struct deciding *d, struct str name, struct str open)
{
	const struct key_index *x = &d->set->names[SET_STOPS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ open, STR_NONE });

	for (; e; e = key_index_next(x, e))
		if (named(e, name)) stop_hit(d, e->rule);
}

static void stops_by_agent(struct deciding *d)
{
	const struct key_index *x = &d->set->agents[SET_STOPS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ d->op->agent, STR_NONE });

	for (; e; e = key_index_next(x, e))
		stop_hit(d, e->rule);
}

/* Every pattern of this tool's, when what the call is about is not known. */
static void stops_in_doubt(struct deciding *d)
{
	const struct key_index *x = &d->set->subjects[SET_STOPS];

	for (size_t i = 0; i < x->len; i++)
		if (tool_pattern_named(x->entries[i].pattern, d->op))
			stop_hit(d, x->entries[i].rule);
}

static bool same_text(struct str a, struct str b)
{
	return a.at == b.at && a.len == b.len;
}

static void stops_by_text(struct deciding *d, struct str name, struct str open,
	const struct subject *s, struct str text)
{
	const struct key_index *x = &d->set->subjects[SET_STOPS];
	const struct key_entry *e = key_index_find(x, (struct key_text){ open, text });

	for (; e; e = key_index_next(x, e))
		if (!d->hit[e->rule] && named(e, name) &&
			tool_pattern_stops_one(e->pattern, s) != FIT_NO)
			stop_hit(d, e->rule);
}

static void stops_at(struct deciding *d, struct str name, struct str open,
	const struct command_text *c, size_t at, uint32_t serial)
{
	const struct key_index *x = &d->set->subjects[SET_STOPS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ open, str_from(c->text, at) });

	for (; e; e = key_index_next(x, e)) {
		uint32_t *tried = d->tried ? &d->tried[e - x->entries] : NULL;

		if (d->hit[e->rule] || (tried && *tried == serial)) continue;
		if (tried) *tried = serial;
		if (named(e, name) && tool_pattern_fits_command(e->pattern, c))
			stop_hit(d, e->rule);
	}
}

/* A pattern is compared once with a command, so a long line costs no more than its length
 * for each pattern whose beginning is in it. */
static void stops_by_command(struct deciding *d, struct str name, struct str open,
	const struct command_text *c, uint32_t serial)
{
	stops_at(d, name, open, c, 0, serial);
	for (size_t i = 1; c->runs_words && i < c->text.len; i++)
		if (c->text.at[i - 1] == ' ' || c->text.at[i - 1] == '/')
			stops_at(d, name, open, c, i, serial);
}

static void stops_by_subject(
	struct deciding *d, struct str name, struct str open, const struct subject *s)
{
	if (!s->known || s->line.too_deep) {
		stops_in_doubt(d);
	} else if (s->kind != SUBJECT_COMMAND) {
		stops_by_text(d, name, open, s, s->text);
		if (s->kind == SUBJECT_PATH && !same_text(s->text, s->normal))
			stops_by_text(d, name, open, s, s->normal);
	} else {
		for (size_t i = 0; i < s->line.commands_len; i++)
			stops_by_command(
				d, name, open, &s->line.commands[i], (uint32_t)i + 1);
	}
}

static void stops_by_same(struct deciding *d)
{
	const struct key_index *x = &d->set->same[SET_STOPS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ str_of(d->op->same), STR_NONE });

	for (; e; e = key_index_next(x, e)) {
		const struct rule_match *m = &d->set->rules[e->rule].match;

		if (m->tools_len == 0 || tools_stop(m->tools, m->tools_len, d->op))
			stop_hit(d, e->rule);
	}
}

/* Every pair of bytes in what the operation is about. All, when that is not known. */
static struct glob_pairs pairs_of(const struct operation_view *o, size_t len)
{
	struct glob_pairs all = { { UINT64_MAX, UINT64_MAX, UINT64_MAX, UINT64_MAX } };
	struct glob_pairs p = { 0 };

	for (size_t i = 0; i < len; i++) {
		const struct subject *s = &o->subjects[i];

		if (!s->known || s->line.too_deep) return all;
		glob_pairs_text(&p, s->text);
		glob_pairs_text(&p, s->normal);
		for (size_t k = 0; k < s->line.commands_len; k++)
			glob_pairs_text(&p, s->line.commands[k].text);
	}
	return p;
}

/* The next from *at up to the pattern of entry `last` that the text may fit; NULL: none. */
static const struct key_entry *loose_next(const struct rule_set *set, int side,
	size_t *at, size_t last, const struct glob_pairs *text)
{
	const struct loose_pattern *of = set->patterns[side];

	while (*at <= last) {
		const struct loose_pattern *p = &of[*at];

		if (p->rarest >= 0 && !glob_pairs_has(text, p->rarest)) {
			*at = p->past;
			continue;
		}
		(*at)++;
		if (glob_pairs_may(&p->pairs, text))
			return &set->loose[side].entries[p->entry];
	}
	return NULL;
}

static void stops_loose(struct deciding *d, struct str name, struct str open)
{
	const struct key_index *x = &d->set->loose[SET_STOPS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ open, STR_NONE });
	const struct operation_view *o = d->op;
	struct glob_pairs pairs = { 0 };

	if (e) pairs = pairs_of(o, o->subjects_len);
	for (; e; e = key_index_shorter(x, e)) {
		size_t i = (size_t)e->first, last = (size_t)(e - x->entries);
		const struct key_entry *at;

		while ((at = loose_next(d->set, SET_STOPS, &i, last, &pairs)))
			if (!d->hit[at->rule] && named(at, name) &&
				tool_pattern_stops(at->pattern, o->subjects,
					o->subjects_len) != FIT_NO)
				stop_hit(d, at->rule);
	}
}

static bool some_run_words(const struct operation_view *o)
{
	for (size_t i = 0; i < o->subjects_len; i++)
		for (size_t k = 0; k < o->subjects[i].line.commands_len; k++)
			if (o->subjects[i].line.commands[k].runs_words) return true;
	return false;
}

static void stops_find(struct deciding *d)
{
	const struct operation_view *o = d->op;

	if (some_run_words(o))
		d->tried = ARENA_ARRAY(
			d->arena, uint32_t, d->set->subjects[SET_STOPS].len + 1);
	stops_by_same(d);
	stops_by_agent(d);
	stops_by_name(d, o->name, o->open);
	stops_loose(d, o->name, o->open);
	if (o->also_name.len) {
		stops_by_name(d, o->also_name, o->also_open);
		stops_loose(d, o->also_name, o->also_open);
	}
	for (size_t i = 0; i < o->subjects_len; i++) {
		if (i > 0 && d->tried)
			memset(d->tried, 0,
				d->set->subjects[SET_STOPS].len * sizeof *d->tried);
		stops_by_subject(d, o->name, o->open, &o->subjects[i]);
		if (!o->also_name.len) continue;
		if (d->tried)
			memset(d->tried, 0,
				d->set->subjects[SET_STOPS].len * sizeof *d->tried);
		stops_by_subject(d, o->also_name, o->also_open, &o->subjects[i]);
	}
}

/* ---- what allows ---- */

static const uint32_t NO_RULE = UINT32_MAX;

static void allow_take(struct deciding *d, uint32_t n, uint32_t *first)
{
	if (n < *first && rest_of(d, n) == FIT_YES) *first = n;
}

static void allows_by_text(struct deciding *d, struct str name, struct str open,
	struct str text, size_t part, uint32_t *first)
{
	const struct key_index *x = &d->set->subjects[SET_ALLOWS];
	const struct key_entry *e = key_index_find(x, (struct key_text){ open, text });

	for (; e; e = key_index_next(x, e))
		if (e->rule < *first && named(e, name) &&
			tool_pattern_allows(e->pattern, &d->op->subjects[0], part))
			allow_take(d, e->rule, first);
}

static void allows_loose(struct deciding *d, struct str name, struct str open,
	const struct glob_pairs *pairs, size_t part, uint32_t *first)
{
	const struct key_index *x = &d->set->loose[SET_ALLOWS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ open, STR_NONE });

	for (; e; e = key_index_shorter(x, e)) {
		size_t i = (size_t)e->first, last = (size_t)(e - x->entries);
		const struct key_entry *at;

		while ((at = loose_next(d->set, SET_ALLOWS, &i, last, pairs)))
			if (at->rule < *first && named(at, name) &&
				tool_pattern_allows(
					at->pattern, &d->op->subjects[0], part))
				allow_take(d, at->rule, first);
	}
}

/* Those by name alone, which fit every command. */
static uint32_t allows_by_name(struct deciding *d, struct str name, struct str open)
{
	const struct key_index *x = &d->set->names[SET_ALLOWS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ open, STR_NONE });
	uint32_t first = NO_RULE;

	if (d->op->subjects[0].unclear) return NO_RULE;
	for (; e; e = key_index_next(x, e))
		if (named(e, name)) allow_take(d, e->rule, &first);
	return first;
}

/* Those of no tool, likewise. */
static uint32_t allows_by_agent(struct deciding *d)
{
	const struct key_index *x = &d->set->agents[SET_ALLOWS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ d->op->agent, STR_NONE });
	uint32_t first = NO_RULE;

	if (d->op->subjects[0].unclear) return NO_RULE;
	for (; e; e = key_index_next(x, e))
		allow_take(d, e->rule, &first);
	return first;
}

static uint32_t allows_by_same(struct deciding *d)
{
	const struct key_index *x = &d->set->same[SET_ALLOWS];
	const struct key_entry *e =
		key_index_find(x, (struct key_text){ str_of(d->op->same), STR_NONE });
	uint32_t first = NO_RULE;

	for (; e; e = key_index_next(x, e)) {
		const struct rule_match *m = &d->set->rules[e->rule].match;
		bool fits = true;

		for (size_t i = 0; i < operation_parts(d->op) && fits; i++)
			fits = rule_match_allows_part(m, d->op, i);
		if (fits) allow_take(d, e->rule, &first);
	}
	return first;
}

/* The first rule that allows this part. */
static uint32_t allows_part(
	struct deciding *d, size_t part, const struct glob_pairs *pairs, uint32_t first)
{
	const struct operation_view *o = d->op;
	const struct subject *s = &o->subjects[0];
	struct str texts[2] = { s->text, s->normal };

	if (s->unclear) return first;
	if (s->kind == SUBJECT_COMMAND && s->known) texts[0] = s->line.parts[part];
	allows_loose(d, o->name, o->open, pairs, part, &first);
	if (o->also_name.len)
		allows_loose(d, o->also_name, o->also_open, pairs, part, &first);
	for (size_t i = 0; i < 2; i++) {
		if (i == 1 && s->kind != SUBJECT_PATH) break;
		allows_by_text(d, o->name, o->open, texts[i], part, &first);
		if (o->also_name.len)
			allows_by_text(
				d, o->also_name, o->also_open, texts[i], part, &first);
	}
	return first;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

static void hit_add(struct ruling *out, const struct rule_record *rule)
{
	for (size_t i = 0; i < out->hits_len; i++)
		if (out->hits[i] == rule) return;
	out->hits[out->hits_len++] = rule;
}

/* Room for the rules that decide: at most `most`. */
static bool hits_room(struct deciding *d, struct ruling *out, size_t most)
{
	out->hits = ARENA_ARRAY(d->arena, const struct rule_record *, most ? most : 1);
	return out->hits != NULL;
}

static void allows_find(struct deciding *d, struct ruling *out)
{
	size_t parts = operation_parts(d->op), most;
	struct glob_pairs pairs;
	uint32_t whole;

	if (d->risk == RISK_CRITICAL || d->op->failed || parts == 0) return;
	pairs = pairs_of(d->op, 1 + d->op->subjects[0].others);
	whole = smaller(allows_by_same(d), allows_by_name(d, d->op->name, d->op->open));
	whole = smaller(whole, allows_by_agent(d));
	if (d->op->also_name.len)
		whole = smaller(
			whole, allows_by_name(d, d->op->also_name, d->op->also_open));
	most = parts < d->set->len ? parts : d->set->len;
	if (!hits_room(d, out, most)) return;
	for (size_t i = 0; i < parts; i++) {
		uint32_t first = allows_part(d, i, &pairs, whole);

		if (first == NO_RULE) {
			out->hits_len = 0;
			return;
		}
		hit_add(out, d->set->rules[first].kept);
	}
	out->effect = EFFECT_ALLOW;
	out->rule = out->hits[0];
}

/* ---- the ruling ---- */

static void ask_add(struct deciding *d, struct ruling *out, const struct set_rule *r,
	struct str *verify)
{
	const struct rule_ask *a = &r->ask;

	if (a->require.len && !require_merge(&out->require, &a->require, d->arena))
		d->arena->failed = true;
	if (a->risk > out->risk) out->risk = a->risk;
	if (a->timeout_ms && (!out->timeout_ms || a->timeout_ms < out->timeout_ms))
		out->timeout_ms = a->timeout_ms;
	if (a->verify.len && !text_listed(out->verify, out->verify_len, a->verify))
		verify[out->verify_len++] = a->verify;
}

/* The next rule from `n` on that stops; d->set->len: none. */
static size_t hit_next(const struct deciding *d, size_t n)
{
	const uint8_t *found = memchr(d->hit + n, 1, d->set->len - n);

	return found ? (size_t)(found - d->hit) : d->set->len;
}

static void asks_add(struct deciding *d, struct ruling *out, size_t asks)
{
	struct str *verify = ARENA_ARRAY(d->arena, struct str, asks);

	if (!verify || !hits_room(d, out, asks)) return;
	out->verify = verify;
	out->effect = EFFECT_ASK;
	for (size_t i = hit_next(d, 0); i < d->set->len; i = hit_next(d, i + 1)) {
		const struct set_rule *r = &d->set->rules[i];

		if (r->effect != EFFECT_ASK) continue;
		out->hits[out->hits_len++] = r->kept;
		ask_add(d, out, r, verify);
	}
	out->rule = out->hits[0];
}

static void stops_rule(struct deciding *d, struct ruling *out)
{
	size_t asks = 0;

	for (size_t i = hit_next(d, 0); i < d->set->len; i = hit_next(d, i + 1)) {
		const struct set_rule *r = &d->set->rules[i];

		asks += r->effect == EFFECT_ASK;
		if (r->effect != EFFECT_DENY) continue;
		if (!hits_room(d, out, 1)) return;
		out->effect = EFFECT_DENY;
		out->rule = r->kept;
		out->hits[out->hits_len++] = r->kept;
		return;
	}
	if (asks) asks_add(d, out, asks);
}

/* Memory is short: no allow fits, and every deny does. */
static void decide_blindly(struct deciding *d, struct ruling *out)
{
	*out = (struct ruling){ .effect = EFFECT_ASK, .risk = d->risk };
	d->arena->failed = true;
	for (size_t i = 0; i < d->set->len; i++) {
		const struct set_rule *r = &d->set->rules[i];

		if (r->effect != EFFECT_DENY || !set_rule_live(r, d->now_ms)) continue;
		out->effect = EFFECT_DENY;
		out->rule = r->kept;
		return;
	}
}

void rule_set_decide(struct rule_set *set, const struct operation_view *op,
	enum risk risk, int64_t now_ms, unsigned flags, struct arena *arena,
	struct ruling *out)
{
	struct deciding d = {
		.set = set,
		.op = op,
		.risk = risk,
		.now_ms = now_ms,
		.arena = arena,
		.rest = arena_alloc(arena, set->len + 1),
		.hit = arena_alloc(arena, set->len + 1),
	};

	*out = (struct ruling){ .risk = risk };
	if (op->type > TYPE_DB_OP) flags |= DECIDE_NO_ALLOW;
	if (!arena->failed && !op->failed) {
		stops_find(&d);
		stops_rule(&d, out);
		if (out->effect == EFFECT_NONE && !(flags & DECIDE_NO_ALLOW))
			allows_find(&d, out);
		if (flags & DECIDE_EXPLAIN)
			rule_set_explain(set, op, risk, now_ms, flags, arena, out);
	}
	if (arena->failed || op->failed) decide_blindly(&d, out);
}
