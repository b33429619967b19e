/* tool_pattern.h - one pattern about tool calls, as Claude Code writes them: "Read",
 * "mcp__github__*", "Bash(git *)", "Bash(npm test:*)", "WebFetch(domain:example.com)".
 *
 * A name alone stands for every call of the tool. In brackets one glob is compared with
 * the subject. `X *` fits X alone, too; `X:*` is X alone or X and a space. */
#ifndef CORE_TOOL_PATTERN_H
#define CORE_TOOL_PATTERN_H

#include "base/fault.h"
#include "core/policy/subject.h"
#include "core/shared/glob.h"

enum { TOOL_PATTERN_MAX = 500 }; /* code points */

/* How far something fits. An allow needs FIT_YES; a deny or an ask has enough with
 * FIT_DOUBT. */
enum fit { FIT_NO, FIT_DOUBT, FIT_YES };

struct tool_pattern {
	struct str text;    /* as written */
	struct str name;    /* glob over the tool's name */
	bool in_brackets;   /* else all below is empty */
	struct str subject; /* glob over the subject; with `host` a host pattern */
	bool prefix;	    /* `X:*`: X alone, or X, a space and more */
	bool host;	    /* `domain:X` */
	bool or_less;	    /* `X *`: `bare` fits, too */
	struct str bare;
	struct glob_pairs pairs; /* of every text that fits; with `host` none */
};

/* Parses it; borrows the text. NULL, or what is wrong with it and the way out. `allows`:
 * it is for an allow, which some patterns can never be for. The text lives for ever. */
const char *tool_pattern_read(struct str text, bool allows, struct tool_pattern *out);
/* Certainly fits every call that `narrow` fits. */
bool tool_pattern_covers(
	const struct tool_pattern *wide, const struct tool_pattern *narrow);

/* Compares the subject alone; the name is not looked at. For a deny or an ask, with every
 * subject, one of them, or one reading of a command: */
enum fit tool_pattern_stops(
	const struct tool_pattern *, const struct subject *, size_t len);
enum fit tool_pattern_stops_one(const struct tool_pattern *, const struct subject *);
bool tool_pattern_fits_command(const struct tool_pattern *, const struct command_text *);
/* For an allow, of one part of a command line (part < line.parts_len) or of the whole of
 * what is no command line (part 0). */
bool tool_pattern_allows(
	const struct tool_pattern *, const struct subject *, size_t part);

#endif
