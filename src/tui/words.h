/* words.h - an ask and its time in a few words, as lists, cards and status lines say it.
 * Prefix: ask_. */
#ifndef TUI_WORDS_H
#define TUI_WORDS_H

#include "base/json.h"
#include "core/policy/operation.h"

struct str question_text(const struct json *question, struct arena *);
/* Its title, else the first question's text, else the operation's name. */
struct str ask_title(const struct json *ask, struct arena *);
/* Who asks: the agent, its program where that has another name, and who runs it on its machine:
 * "builder · Claude Code (ada)". */
struct str ask_agent(const struct json *ask, struct arena *);
/* Title or context: in the reader's language if Parley itself wrote it. */
struct str ask_words(const struct json *ask, struct str text, struct arena *);
/* A session that was made for one ask has the title of that ask. */
struct str session_title(const struct json *ask, struct arena *);
enum risk ask_risk(const struct json *ask);
struct str words_risk(enum risk, struct arena *); /* "high risk" */
bool ask_pending(const struct json *ask);
int64_t ask_time(const struct json *ask, const char *member); /* ms; 0: none */

/* Adds a text to a list of them; nothing of an empty one. */
void words_join(struct buf *, const char *between, struct str);

/* "45s", "3m", "2h", "5d": how long something takes or took. */
struct str span_short(int64_t ms, struct arena *);
/* "3m ago"; "now" */
struct str words_ago(int64_t ms, struct arena *);
/* "2:47 → rejected": what is left (from ten minutes on as span_short), and what happens then. */
struct str words_due(int64_t ms, struct str end, struct arena *);
/* What happens then, in a word. */
struct str ask_end_short(const struct json *ask, struct arena *);
/* As words_due, in more words; empty: it waits for ever. */
struct str ask_end(const struct json *ask, int64_t now_ms, struct arena *);
/* "Answered by Marie via web", whoever it was; of a settled ask. */
struct str ask_settled(const struct json *ask, struct arena *);
/* One question's answer in a line: labels, not ids. */
struct str reply_words(
	const struct json *question, const struct json *value, struct arena *);
/* All answers of an ask in a line. */
struct str answer_all_words(
	const struct json *ask, const struct json *answers, struct arena *);
/* The reason, the note, or a text that was answered: the first there is. */
struct str words_said(const struct json *answer);
/* "2/5 · compiling"; empty: there is none. */
struct str progress_words(const struct json *progress, struct arena *);
/* "$0.42": what a run or a session cost; empty: it is not known. */
struct str cost_words(const struct json *run, struct arena *);
struct str ordinal(size_t n, struct arena *); /* "2nd" */
/* What a run did by itself (it was summed up, another model took over); empty: this event tells of no such. */
struct str words_step(struct str type, const struct json *data, struct arena *);
/* An event in a line: "Progress · 2/5 compiling". */
/* `about`: the title of its ask, which few events have themselves; empty: none. */
struct str event_words(const struct json *event, struct str about, struct arena *);
bool event_settles(struct str type); /* the ask of such an event is settled by it */
/* The tool and the server of a call that an agent made through Parley; false: it is none. */
bool ask_held(const struct json *ask, struct str *tool, struct str *server);
/* That tool as this server lists it; NULL: it does not, or it is another's call. */
const struct json *ask_tool(const struct json *ask, const struct json *server);
/* Approved, and its call has not run: its agent has to call again. Empty: it is no such. */
struct str ask_waits(const struct json *ask, struct arena *);
/* Of a call that was cut short: when it began, and that nobody knows its outcome. Empty: it is none. */
struct str ask_unknown(const struct json *ask, int64_t now_ms, struct arena *);
/* "14:05", or with its date when that is not today; local. */
struct str time_local(int64_t ms, int64_t now_ms, struct arena *);
int64_t day_begin(
	int64_t ms, int back); /* the start of its day, or of one before; local */
int64_t day_local(int64_t ms); /* a number that only moments of one day share */
/* "Today", "Yesterday", or its date. */
struct str day_words(int64_t ms, int64_t now_ms, struct arena *);

/* "asked 5m ago", "asked just now". */
struct str ask_age(const struct json *ask, int64_t now_ms, struct arena *);
/* approved, rejected, revoked, answered, skipped, expired or cancelled. */
const char *ask_outcome(const struct json *ask);
bool ask_changed(const struct json *ask); /* approved with other arguments */
/* "Approved “Deploy”. deployer has not fetched it yet." Of one that waits for more
 * approvals: that this one is saved. */
struct str ask_decided(const struct json *ask, struct arena *);
/* "1 of 2 · you ✓ · one more from ops"; empty: it requires nothing. `me`: the person who
 * looks, usr_…, or empty. Without `voters` it does not say who approved. */
struct str votes_line(const struct json *ask, struct str me, bool voters, struct arena *);
/* The name of who settled it, or of all whose approval was needed; of a rule its name or id. */
struct str ask_settled_by(const struct json *ask, struct arena *);
/* Who settled it: these, "rule NAME", "default answer"; empty: nobody. */
struct str ask_settler(const struct json *ask, struct arena *);

#endif
