/* scope_form.c - the choice of how long an approval holds, and for which calls; and of the effect of a
 * rule made from one that is over. */
#include "tui/scope_form.h"

#include "base/clock.h"
#include "base/json_pattern.h"
#include "core/policy/operation.h"
#include "core/policy/subject.h"
#include "text/msg.h"
#include "tui/words.h"

static const struct {
	const char *name, *id;
	int64_t ms; /* 0: no end */
} times[] = {
	{ "15m", "web.rules.time.15m", 15 * 60000 },
	{ "1h", "web.rules.time.1h", 3600000 },
	{ "8h", "web.rules.time.8h", 8 * 3600000 },
	{ "1d", "web.rules.time.1d", 24 * 3600000 },
	{ "7d", "web.rules.time.7d", INT64_C(7) * 24 * 3600000 },
	{ "always", "web.rules.time.always", 0 },
};

enum { TIMES = sizeof times / sizeof *times };

/* Plans and approvals in advance are one of a kind. */
static bool is_call(const struct json *ask)
{
	const struct json *op = json_get(ask, "operation");
	struct str type = json_text_of(op, "type");

	return json_is(op, JSON_OBJECT) && !str_is(type, "plan") &&
	       !str_is(type, "mandate");
}

bool scope_rule_offered(const struct json *ask)
{
	return !ask_pending(ask) && is_call(ask);
}

bool scope_offered(const struct json *ask)
{
	const struct json *require = json_get(ask, "require");

	return ask_pending(ask) && is_call(ask) && ask_risk(ask) != RISK_CRITICAL &&
	       (!require || require->type == JSON_NULL) &&
	       json_text_of(ask, "refused").len == 0;
}

/* ---- the pattern that is offered ---- */

/* "npm run build --watch" → "npm run *": one or two words, and whatever follows. */
static void command_head(struct buf *out, struct str command)
{
	struct str words[3] = { 0 }, rest = str_trim(command), word;
	size_t n = 0;

	while (n < 3 && str_cut(&rest, ' ', &word))
		if (word.len) words[n++] = word;
	buf_add(out, words[0]);
	if (n > 2) buf_print(out, " %.*s", STR_ARGS(words[1]));
	if (n > 1) buf_add_text(out, " *");
}

/* This very call's, to be widened by hand; for a command, its first words. */
static void pattern_offer(struct scope_form *s)
{
	const struct json *op = json_get(s->ask, "operation");
	const struct json *arguments = json_get(op, "arguments");
	const struct json *argv = json_get(arguments, "argv");
	struct str name = json_text_of(op, "name");
	struct subject subjects[SUBJECTS_MAX];
	struct buf text = { .max = 4096 };
	struct arena arena = { 0 };
	bool command =
		str_is(json_text_of(op, "type"), "command") && json_is(argv, JSON_ARRAY);
	size_t n = command ? subject_read_command(argv, &arena, subjects)
			   : subject_read(name, arguments, &arena, subjects);
	struct subject *about = n && subjects[0].known ? &subjects[0] : NULL;

	if (command) name = STR("Bash");
	buf_add(&text, name);
	if (about && about->kind != SUBJECT_TEXT) {
		buf_add_char(&text, '(');
		if (about->kind == SUBJECT_COMMAND)
			command_head(&text, about->text);
		else
			buf_add(&text, about->text);
		buf_add_char(&text, ')');
	}
	line_set(&s->pattern, text.failed ? name : buf_str(&text));
	buf_done(&text);
	arena_done(&arena);
}

/* ---- what may be chosen ---- */

static bool what_possible(const struct scope_form *s, enum scope_what what)
{
	if (s->ruling != (what >= WHAT_ALLOW)) return false;
	if (s->ruling)
		return what != WHAT_ALLOW ||
		       (s->admin && ask_risk(s->ask) != RISK_CRITICAL);
	if (what == WHAT_SESSION && s->own) return false;
	return !s->high || what == WHAT_ONCE || what == WHAT_SAME;
}

static bool time_possible(const struct scope_form *s, size_t time)
{
	bool any = s->ruling || (s->admin && !s->high);

	return any || (times[time].ms && times[time].ms <= s->most_ms);
}

/* Is it for calls that a pattern fits? */
static bool patterned(const struct scope_form *s)
{
	return s->what == WHAT_PATTERN || s->ruling;
}

static bool lasts(const struct scope_form *s)
{
	return s->what == WHAT_SAME || patterned(s);
}

/* Does the rule allow high risk, which it has to say? */
static bool allows_high(const struct scope_form *s)
{
	return s->high && s->what <= WHAT_ALLOW;
}

/* Others that wait and would be settled with it. */
static int64_t others(const struct scope_form *s)
{
	return s->what != WHAT_ONCE && !s->ruling && s->known == RULE_KNOWN &&
			       s->waiting > 1
		       ? s->waiting - 1
		       : 0;
}

/* May it be approved as it stands? */
static bool scope_form_ready(const struct scope_form *s)
{
	if (s->writing || !what_possible(s, s->what)) return false;
	return !patterned(s) || s->known == RULE_KNOWN;
}

void scope_form_open(struct scope_form *s, const struct json *ask)
{
	bool first = !s->ask;

	s->ask = ask;
	s->high = ask_risk(ask) == RISK_HIGH;
	s->own = json_is(json_get(ask, "own_session"), JSON_TRUE);
	if (!what_possible(s, s->what)) s->what = WHAT_ONCE, s->known = RULE_UNKNOWN;
	if (!time_possible(s, s->time)) s->time = 0;
	if (!first) return;
	s->most_ms = times[0].ms;
	s->problem.max = 4096;
	pattern_offer(s);
}

void scope_form_open_rule(struct scope_form *s, const struct json *ask, bool admin)
{
	bool no = str_is(str_of(ask_outcome(ask)), "rejected");

	scope_form_done(s);
	scope_form_open(s, ask);
	s->ruling = true;
	s->admin = admin;
	s->time = TIMES - 1;
	s->what = no ? WHAT_DENY : what_possible(s, WHAT_ALLOW) ? WHAT_ALLOW : WHAT_ASK;
}

void scope_form_done(struct scope_form *s)
{
	line_done(&s->pattern);
	buf_done(&s->problem);
	*s = (struct scope_form){ 0 };
}

void scope_form_limit(struct scope_form *s, const struct json *scopes, bool admin)
{
	struct str most = json_text_of(scopes, s->high ? "high" : "member");
	int64_t ms;

	s->admin = admin;
	if (duration_read(most, &ms)) s->most_ms = ms;
	if (!time_possible(s, s->time)) s->time = 0;
}

/* ---- the rule ---- */

static const char *const effects[WHATS] = {
	[WHAT_SESSION] = "allow",
	[WHAT_SAME] = "allow",
	[WHAT_PATTERN] = "allow",
	[WHAT_ALLOW] = "allow",
	[WHAT_ASK] = "ask",
	[WHAT_DENY] = "deny",
};

/* What the rule fits: calls of this agent in this project alone. */
static struct str match_made(const struct scope_form *s, struct arena *arena)
{
	const struct json *op = json_get(s->ask, "operation");
	struct str project = json_text_of(s->ask, "project");
	char same[DIGEST_SIZE];

	operation_same(op, json_get(op, "arguments"), same);
	return JSON_TEXT(arena,
		"{'tool':%j,'same':%?,'risk':%j,'agent':%s,'project':%j,'session':%?}",
		patterned(s) ? JSON_TEXT(arena, "[%s]", str_trim(line_text(&s->pattern)))
			     : STR_NONE,
		patterned(s) ? STR_NONE : str_of(same),
		allows_high(s) ? STR("{\"max\":\"high\"}") : STR_NONE,
		json_text_of(json_get(s->ask, "agent"), "name"),
		project.len ? JSON_TEXT(arena, "%s", project) : STR("null"),
		s->what == WHAT_SESSION ? json_text_of(s->ask, "session") : STR_NONE);
}

struct str scope_form_rule(struct scope_form *s, struct arena *arena)
{
	if (s->what == WHAT_ONCE || s->writing || s->known != RULE_UNKNOWN)
		return STR_NONE;
	s->known = RULE_ASKED;
	return JSON_TEXT(arena, "{'rule':{'effect':%s,'match':%j}}",
		str_of(effects[s->what]), match_made(s, arena));
}

struct str scope_form_made(
	const struct scope_form *s, int64_t now_ms, struct arena *arena)
{
	char until[TIME_SIZE] = "";

	if (times[s->time].ms) time_write(now_ms + times[s->time].ms, until);
	return JSON_TEXT(arena,
		"{'effect':%s,'match':%j,'expires_at':%?,'made_from':{'ask':%s}}",
		str_of(effects[s->what]), match_made(s, arena), str_of(until),
		json_text_of(s->ask, "id"));
}

void scope_form_tried(
	struct scope_form *s, const struct json *reply, const struct fault *why)
{
	if (s->known != RULE_ASKED) return;
	s->known = reply ? RULE_KNOWN : RULE_REFUSED;
	buf_clear(&s->problem);
	if (!reply && why)
		buf_add_text(&s->problem,
			why->items_len > 0 ? why->items[0].detail : why->detail);
	s->fits = json_int_of(reply, "fits");
	s->looked = json_int_of(reply, "looked");
	s->waiting = json_int_of(reply, "open");
	s->rejected = 0;
	for (const struct json *one = NULL; json_each(json_get(reply, "differs"), &one);)
		s->rejected += str_is(json_text_of(one, "was"), "rejected") &&
			       str_is(json_text_of(one, "would"), "allow");
}

void scope_form_put(const struct scope_form *s, struct json_writer *w)
{
	if (s->what == WHAT_ONCE) return;
	jw_key(w, "scope");
	JW(w, "{'for':%s,'what':%s,'tool':%?,'open':%j}",
		s->what == WHAT_SESSION ? STR("session") : str_of(times[s->time].name),
		s->what == WHAT_PATTERN ? STR("pattern") : STR("same"),
		s->what == WHAT_PATTERN ? str_trim(line_text(&s->pattern)) : STR_NONE,
		json_bool(s->open && others(s) > 0));
}

/* ---- keys ---- */

struct line *scope_form_line(struct scope_form *s)
{
	return s->writing ? &s->pattern : NULL;
}

/* Chooses another rule, and drops what the server said about the one before. */
static enum wish what_choose(struct scope_form *s, enum scope_what what)
{
	s->at_open = false;
	if (what == s->what || !what_possible(s, what)) return WISH_NONE;
	s->what = what;
	s->known = RULE_UNKNOWN;
	s->open = false;
	return what == WHAT_ONCE ? WISH_NONE : WISH_TRY;
}

static enum wish move(struct scope_form *s, int by)
{
	int to = (int)s->what + by;

	if (s->at_open) return s->at_open = by > 0, WISH_NONE;
	while (to >= 0 && to < WHATS && !what_possible(s, (enum scope_what)to))
		to += by;
	if (to >= 0 && to < WHATS) return what_choose(s, (enum scope_what)to);
	s->at_open = by > 0 && others(s) > 0;
	return WISH_NONE;
}

static void time_move(struct scope_form *s, int by)
{
	int to = (int)s->time + by;

	if (lasts(s) && to >= 0 && to < TIMES && time_possible(s, (size_t)to))
		s->time = (size_t)to;
}

static enum wish pattern_key(struct scope_form *s, const struct key *k)
{
	if (k->name == K_ESCAPE || (k->name == K_ENTER && !k->pasted)) {
		s->writing = false;
		if (s->known == RULE_REFUSED) s->known = RULE_UNKNOWN;
		return WISH_TRY;
	}
	if (line_key(&s->pattern, k, false)) s->known = RULE_UNKNOWN, s->open = false;
	return WISH_NONE;
}

/* Rows are numbered from it. */
static int what_first(const struct scope_form *s)
{
	return s->ruling ? WHAT_ALLOW : WHAT_ONCE;
}

static enum wish letter_key(struct scope_form *s, int32_t letter)
{
	if (letter >= '1' && letter < '1' + WHATS)
		return what_choose(s, (enum scope_what)(what_first(s) + letter - '1'));
	switch (letter) {
	case 'j': return move(s, 1);
	case 'k': return move(s, -1);
	case ' ': s->open = others(s) > 0 && !s->open; return WISH_NONE;
	case 'e': s->writing = patterned(s); return WISH_NONE;
	default: return WISH_NONE;
	}
}

enum wish scope_form_key(struct scope_form *s, const struct key *k)
{
	if (s->writing) return pattern_key(s, k);
	if (k->pasted) return WISH_NONE;
	if (k->name != K_ENTER) s->sure = false;
	switch (k->name) {
	case K_UP: return move(s, -1);
	case K_DOWN: return move(s, 1);
	case K_LEFT: time_move(s, -1); return WISH_NONE;
	case K_RIGHT: time_move(s, 1); return WISH_NONE;
	case K_ESCAPE: return WISH_LEAVE;
	case K_ENTER: return scope_form_ready(s) ? WISH_SUBMIT : WISH_NONE;
	case K_CHAR: return letter_key(s, k->point);
	default: return WISH_NONE;
	}
}

/* ---- drawing ---- */

static const char *const labels[] = {
	[WHAT_ONCE] = "web.scope.once",
	[WHAT_SESSION] = "web.scope.session",
	[WHAT_SAME] = "web.scope.same",
	[WHAT_PATTERN] = "web.scope.pattern",
	[WHAT_ALLOW] = "web.rules.effect.allow",
	[WHAT_ASK] = "web.rules.effect.ask",
	[WHAT_DENY] = "web.rules.effect.deny",
};

enum { INDENT = 8 };

/* "Creates the rule: Allow the same call for builder in shop until 15:40." */
static void rule_write(struct page *p, const struct scope_form *s, int64_t now_ms)
{
	struct arena *a = &p->words;
	struct str project = json_text_of(s->ask, "project");
	struct str agent = json_text_of(json_get(s->ask, "agent"), "name");
	int64_t ms = s->what == WHAT_SESSION ? 0 : times[s->time].ms;
	struct buf line = { .max = 16384 };

	words_join(&line, " ", MSG(a, "web.scope.creates"));
	words_join(
		&line, " ", msg_named(a, "web.rules.effect", str_of(effects[s->what])));
	words_join(&line, " ",
		patterned(s) ? str_trim(line_text(&s->pattern))
			     : MSG(a, "web.rules.says.same"));
	if (allows_high(s))
		words_join(&line, " ",
			MSG(a, "web.rules.says.max",
				{ "risk", MSG(a, "web.risk.high") }));
	words_join(&line, " ", MSG(a, "web.rules.says.for", { "agent", agent }));
	words_join(&line, " ",
		project.len ? MSG(a, "web.rules.says.in", { "project", project })
			    : MSG(a, "web.rules.says.in.none"));
	if (s->what == WHAT_SESSION)
		words_join(&line, " ",
			MSG(a, "web.rules.says.session",
				{ "session", session_title(s->ask, a) }));
	if (ms)
		words_join(&line, " ",
			MSG(a, "web.rules.until",
				{ "at", time_local(now_ms + ms, now_ms, a) }));
	buf_add_char(&line, '.');
	page_wrap(p, STYLE_PLAIN, INDENT, buf_str(&line));
	buf_done(&line);
}

static void tried_write(struct page *p, const struct scope_form *s)
{
	if (s->known == RULE_REFUSED)
		page_wrap(p, STYLE_BAD, INDENT, buf_str(&s->problem));
	if (s->known == RULE_ASKED) PAGE_WRAP(p, STYLE_SOFT, INDENT, "web.loading");
	if (s->known != RULE_KNOWN) return;
	PAGE_WRAP(p, s->fits ? STYLE_SOFT : STYLE_WARN, INDENT,
		s->fits == 1 ? "web.rules.tried.one" : "web.rules.tried.other",
		{ "n", arena_print(&p->words, "%lld", (long long)s->fits) },
		{ "looked", arena_print(&p->words, "%lld", (long long)s->looked) });
	if (s->rejected)
		page_wrap(p, STYLE_WARN, INDENT,
			msg_count(&p->words, "tui.scope.rejected", s->rejected));
}

/* What belongs to the choice that is made. */
static void chosen_write(struct page *p, const struct scope_form *s, int64_t now_ms)
{
	if (lasts(s)) {
		page_row(p);
		page_pad(p, INDENT);
		page_add_text(p, STYLE_ACCENT, "‹ ");
		PAGE_MSG(p, STYLE_BOLD, times[s->time].id);
		page_add_text(p, STYLE_ACCENT, " ›");
	}
	if (patterned(s)) {
		page_row(p);
		page_pad(p, INDENT);
		if (s->writing)
			page_line(p, STYLE_ACCENT, &s->pattern);
		else
			page_add(p, STYLE_ACCENT, line_text(&s->pattern));
		tried_write(p, s);
	}
	if (s->what != WHAT_ONCE && !s->writing && s->known != RULE_REFUSED)
		rule_write(p, s, now_ms);
}

static const char *impossible_why(const struct scope_form *s)
{
	if (s->ruling) return s->admin ? "tui.rule.critical" : "tui.rule.admins";
	return s->high ? "web.scope.high" : "web.scope.own";
}

static void choice_write(struct page *p, const struct scope_form *s, enum scope_what what,
	int64_t now_ms, bool idle)
{
	bool here = what == s->what && !s->at_open && !idle,
	     possible = what_possible(s, what);

	page_row_choice(p, here);
	page_add_text(p, STYLE_PLAIN, what == s->what ? "(•) " : "( ) ");
	page_add(p, STYLE_SOFT,
		arena_print(&p->words, "%d ", (int)what - what_first(s) + 1));
	PAGE_MSG(p,
		here	   ? STYLE_BOLD
		: possible ? STYLE_PLAIN
			   : STYLE_SOFT,
		labels[what]);
	if (!possible) page_word(p, STYLE_SOFT, MSG(&p->words, impossible_why(s)));
	if (what == s->what) chosen_write(p, s, now_ms);
	if (here) page_focus_end(p);
}

void scope_form_write(
	struct page *p, const struct scope_form *s, int64_t now_ms, bool idle)
{
	int end = s->ruling ? WHATS : WHAT_ALLOW;

	for (int what = what_first(s); what < end; what++)
		choice_write(p, s, (enum scope_what)what, now_ms, idle);
	if (others(s)) {
		page_row_choice(p, s->at_open);
		page_add_text(p, STYLE_PLAIN, s->open ? "[x] " : "[ ] ");
		page_add(p, s->at_open ? STYLE_BOLD : STYLE_PLAIN,
			msg_count(&p->words, "web.scope.open", others(s)));
		if (s->at_open) page_focus_end(p);
	}
	if (!s->sure) return;
	page_row(p);
	PAGE_MSG(p, STYLE_WARN, "tui.again");
	page_focus_end(p);
}
