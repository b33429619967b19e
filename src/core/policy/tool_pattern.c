/* tool_pattern.c - parses patterns about tool calls, and compares subjects with them. */
#include "core/policy/tool_pattern.h"

#include "core/policy/subject.h"
#include "core/shared/body.h"

enum { PATTERN_BYTES = TOOL_PATTERN_MAX * 4 + 8 };

/* ---- parsing ---- */

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "domain" of "domain:x"; empty: it does not begin with a word and a colon. An address
 * ("https://…") and a drive ("C:") are none. */
static struct str word_of(struct str s)
{
	size_t len = 0;

	while (len < s.len &&
		(is_letter(s.at[len]) ||
			(len > 0 && strchr("0123456789_-", s.at[len]) && s.at[len])))
		len++;
	if (len < 2 || len >= s.len || s.at[len] != ':' ||
		str_starts(str_from(s, len + 1), "//"))
		return STR_NONE;
	return str_first(s, len);
}

static const char *brackets_check(struct str text, size_t open)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		if (text.at[i] == '(') depth++;
		if (text.at[i] != ')') continue;
		if (depth == 0 || i < open)
			return "has no opening bracket: add (, or write ? for a bracket that is meant";
		if (--depth == 0 && i + 1 < text.len)
			return "has text after its closing bracket";
	}
	return depth ? "has no closing bracket: add ), or write ? for a bracket that is meant"
		     : NULL;
}

static const char *const doubt_ways_out[] = {
	[DOUBT_SUBSTITUTION] =
		"never matches: an allow does not match lines with $, ` or "
		"brackets; write * in its place, or a deny",
	[DOUBT_REDIRECTION] = "never matches: an allow does not match lines with < or >",
	[DOUBT_COMMANDS] = "never matches: it is compared with each command of a line; "
			   "write one pattern for each",
	[DOUBT_PARENT] = "never matches: an allow does not match .. in a path; write the "
			 "whole path",
	[DOUBT_HOME] = "never matches: an allow does not match ~; write the whole path",
	[DOUBT_CONTROL] = "never matches: it has a control character",
};

/* What no call of this kind ever looks like. */
static const char *kind_check(const struct tool_pattern *p, bool allows)
{
	enum subject_kind kind;
	struct str subject = p->subject;

	if (!subject_kind_of(p->name, &kind)) return NULL;
	if (kind == SUBJECT_COMMAND &&
		(subject.at[0] == ' ' || subject.at[subject.len - 1] == ' '))
		return "never matches: commands have no spaces around them";
	if (!allows) return NULL;
	return kind == SUBJECT_COMMAND ? doubt_ways_out[command_pattern_doubt(subject)]
	       : kind == SUBJECT_PATH  ? doubt_ways_out[path_unclear(subject)]
				       : NULL;
}

static const char *domain_read(struct tool_pattern *p)
{
	enum subject_kind kind;

	if (!subject_kind_of(p->name, &kind) || kind != SUBJECT_ADDRESS)
		return "domain: is only for WebFetch";
	p->host = true;
	p->subject = str_from(p->subject, strlen("domain:"));
	if (host_pattern_valid(p->subject)) return NULL;
	return "must have a host in lower case after domain:, or *. and a host";
}

static const char *subject_parse(struct tool_pattern *p, bool allows)
{
	struct str word = word_of(p->subject);
	int colon = str_find(p->subject, STR(":*"));
	enum subject_kind kind;

	if (p->subject.len == 0)
		return "has nothing in its brackets; leave them out, or write *";
	if (str_is(word, "domain") && subject_kind_of(p->name, &kind) &&
		kind == SUBJECT_ADDRESS)
		return domain_read(p);
	if (colon == 0)
		return "matches nothing: to match every command, write * instead of :*";
	if (colon > 0 && (size_t)colon + 2 < p->subject.len)
		return "never matches: :* is only possible at the end; write * instead";
	if (colon > 0) {
		p->prefix = true;
		p->subject.len -= 2;
		return kind_check(p, allows);
	}
	if (str_is(word, "domain")) return domain_read(p);
	if (word.len)
		return "begins with a word and a colon, which means nothing here; write ? "
		       "for the colon";
	if (str_ends(p->subject, " *") && p->subject.len > 2) {
		p->or_less = true;
		p->bare = str_first(p->subject, p->subject.len - 2);
	}
	return kind_check(p, allows);
}

const char *tool_pattern_read(struct str text, bool allows, struct tool_pattern *out)
{
	struct tool_pattern p = { .text = text };
	const char *open = text.len ? memchr(text.at, '(', text.len) : NULL;
	size_t name = open ? (size_t)(open - text.at) : text.len;
	const char *wrong = NULL;

	if (text_blank(text)) return "must not be empty";
	if (text_longer(text, TOOL_PATTERN_MAX))
		return "must have at most 500 characters";
	if (!text_one_line(text)) return "must be one line without control characters";
	if (str_trim(text).len != text.len) return "must have no blanks around it";
	if (name == 0) return "must begin with the name of a tool, or *";
	wrong = brackets_check(text, name);
	if (wrong) return wrong;
	p.name = str_first(text, name);
	p.in_brackets = open != NULL;
	if (open) {
		p.subject = str_make(open + 1, text.len - name - 2);
		wrong = subject_parse(&p, allows);
		if (!p.host) p.pairs = glob_pairs_pattern(p.or_less ? p.bare : p.subject);
	}
	if (!wrong) *out = p;
	return wrong;
}

/* `X *` of the pattern `X:*`. */
static struct str prefix_glob(const struct tool_pattern *p, char room[PATTERN_BYTES])
{
	memcpy(room, p->subject.at, p->subject.len);
	memcpy(room + p->subject.len, " *", 2);
	return str_make(room, p->subject.len + 2);
}

/* ---- covering ---- */

/* Every text that fits the glob `narrow` fits `wide`. */
static bool covers_glob(const struct tool_pattern *wide, struct str narrow)
{
	char room[PATTERN_BYTES];

	if (wide->host) return false;
	if (wide->prefix)
		return glob_covers(wide->subject, narrow) ||
		       glob_covers(prefix_glob(wide, room), narrow);
	return glob_covers(wide->subject, narrow) ||
	       (wide->or_less && glob_covers(wide->bare, narrow));
}

static bool covers_subject(
	const struct tool_pattern *wide, const struct tool_pattern *narrow)
{
	char room[PATTERN_BYTES];

	if (narrow->host)
		return wide->host && (str_eq(wide->subject, narrow->subject) ||
					     host_fits(wide->subject, narrow->subject));
	if (narrow->prefix)
		return covers_glob(wide, narrow->subject) &&
		       covers_glob(wide, prefix_glob(narrow, room));
	return covers_glob(wide, narrow->subject) &&
	       (!narrow->or_less || covers_glob(wide, narrow->bare));
}

bool tool_pattern_covers(
	const struct tool_pattern *wide, const struct tool_pattern *narrow)
{
	if (!glob_covers(wide->name, narrow->name)) return false;
	if (!wide->in_brackets || str_is(wide->subject, "*")) return true;
	return narrow->in_brackets && covers_subject(wide, narrow);
}

/* ---- fitting ---- */

/* Apart from text_fits, which is called most and needs no such room. */
__attribute__((noinline)) static bool prefix_fits(
	const struct tool_pattern *p, struct str text)
{
	char room[PATTERN_BYTES];

	return glob_fits(prefix_glob(p, room), text);
}

static bool text_fits(const struct tool_pattern *p, struct str text)
{
	if (glob_fits(p->subject, text)) return true;
	if (p->prefix) return prefix_fits(p, text);
	return p->or_less && glob_fits(p->bare, text);
}

static bool words_fit(const struct tool_pattern *p, struct str text)
{
	char room[PATTERN_BYTES];

	if (glob_fits_words(p->subject, text)) return true;
	if (p->prefix) return glob_fits_words(prefix_glob(p, room), text);
	return p->or_less && glob_fits_words(p->bare, text);
}

bool tool_pattern_fits_command(const struct tool_pattern *p, const struct command_text *c)
{
	if (!p->in_brackets) return true;
	if (p->host) return false;
	return c->runs_words ? words_fit(p, c->text) : text_fits(p, c->text);
}

static enum fit command_stops(
	const struct tool_pattern *p, const struct command_line *line)
{
	for (size_t i = 0; i < line->commands_len; i++)
		if (tool_pattern_fits_command(p, &line->commands[i])) return FIT_YES;
	return line->too_deep ? FIT_DOUBT : FIT_NO;
}

enum fit tool_pattern_stops_one(const struct tool_pattern *p, const struct subject *s)
{
	if (!p->in_brackets) return FIT_YES;
	if (!s->known) return FIT_DOUBT;
	if (s->kind == SUBJECT_COMMAND) return command_stops(p, &s->line);
	if (p->host) {
		if (s->kind != SUBJECT_ADDRESS) return FIT_NO;
		if (!s->host.len) return FIT_DOUBT;
		return host_fits(p->subject, s->host) ? FIT_YES : FIT_NO;
	}
	if (text_fits(p, s->text)) return FIT_YES;
	return s->kind == SUBJECT_PATH && text_fits(p, s->normal) ? FIT_YES : FIT_NO;
}

enum fit tool_pattern_stops(
	const struct tool_pattern *p, const struct subject *subjects, size_t len)
{
	enum fit best = FIT_NO;

	for (size_t i = 0; i < len && best < FIT_YES; i++) {
		enum fit fit = tool_pattern_stops_one(p, &subjects[i]);

		if (fit > best) best = fit;
	}
	return best;
}

/* host:port of an address, up to one of `ends`; false: it has none. */
static bool authority_of(struct str s, const char *ends, struct str *out)
{
	int start = str_find(s, STR("://"));
	size_t len = 0;

	if (start < 0) return false;
	s = str_from(s, (size_t)start + 3);
	while (len < s.len && !(s.at[len] && strchr(ends, s.at[len])))
		len++;
	*out = str_first(s, len);
	return true;
}

/* A star before the first slash of a pattern stands for part of the host. */
static bool address_allowed(const struct tool_pattern *p, const struct subject *s)
{
	struct str wanted, real;

	if (p->host) return host_fits(p->subject, s->host);
	if (!text_fits(p, s->text)) return false;
	if (!authority_of(p->subject, "/#", &wanted)) return true;
	return authority_of(s->text, "/?#", &real) && glob_fits(wanted, real);
}

static bool one_allowed(const struct tool_pattern *p, const struct subject *s)
{
	if (s->kind == SUBJECT_ADDRESS) return address_allowed(p, s);
	return !p->host && (text_fits(p, s->text) ||
				   (s->kind == SUBJECT_PATH && text_fits(p, s->normal)));
}

bool tool_pattern_allows(
	const struct tool_pattern *p, const struct subject *s, size_t part)
{
	if (s->unclear || (p->in_brackets && s->vague)) return false;
	if (!p->in_brackets) return true;
	if (s->kind == SUBJECT_COMMAND)
		return !p->host && text_fits(p, s->line.parts[part]);
	for (size_t i = 0; i <= s->others; i++)
		if (!one_allowed(p, &s[i])) return false;
	return true;
}
