/* words.c - asks, times, outcomes and events in words. */
#include "tui/words.h"

#include <time.h>

#include "base/clock.h"
#include "base/keep.h"
#include "text/msg.h"
#include "text/own.h"

enum { JUST_NOW_MS = 10000 };

struct str question_text(const struct json *question, struct arena *arena)
{
	return own_words(json_text_of(question, "key"), json_text_of(question, "text"),
		msg_lang(), arena);
}

struct str ask_words(const struct json *ask, struct str text, struct arena *arena)
{
	const struct json *questions = json_get(ask, "questions");
	const struct json *first = json_is(questions, JSON_ARRAY) && questions->count
					   ? questions->items
					   : NULL;

	return own_words(json_text_of(first, "key"), text, msg_lang(), arena);
}

struct str ask_title(const struct json *ask, struct arena *arena)
{
	const struct json *questions = json_get(ask, "questions");
	struct str title = json_text_of(ask, "title");

	if (title.len) return ask_words(ask, title, arena);
	if (json_is(questions, JSON_ARRAY) && questions->count > 0)
		title = question_text(&questions->items[0], arena);
	if (title.len == 0) title = json_text_of(json_get(ask, "operation"), "name");
	return title;
}

struct str ask_agent(const struct json *ask, struct arena *arena)
{
	struct str agent = json_text_of(json_get(ask, "agent"), "name");
	struct str program = json_text_of(ask, "program");
	struct str user = json_text_of(ask, "machine_user");

	if (program.len && !str_eq(program, agent))
		agent = arena_print(
			arena, "%.*s · %.*s", STR_ARGS(agent), STR_ARGS(program));
	return user.len ? arena_print(
				  arena, "%.*s (%.*s)", STR_ARGS(agent), STR_ARGS(user))
			: agent;
}

struct str session_title(const struct json *ask, struct arena *arena)
{
	return ask_words(ask, json_text_of(ask, "session_title"), arena);
}

enum risk ask_risk(const struct json *ask)
{
	enum risk risk = RISK_NONE;

	if (!risk_read(json_text_of(ask, "risk"), &risk))
		risk_read(json_text_of(json_get(ask, "operation"), "risk"), &risk);
	return risk;
}

struct str words_risk(enum risk risk, struct arena *arena)
{
	return msg_named(arena, "web.risk", str_of(risk_name(risk)));
}

bool ask_pending(const struct json *ask)
{
	return str_is(json_text_of(ask, "status"), "pending");
}

int64_t ask_time(const struct json *ask, const char *member)
{
	int64_t ms = 0;

	time_read(json_text_of(ask, member), &ms);
	return ms;
}

void words_join(struct buf *out, const char *between, struct str text)
{
	if (out->len > 0 && text.len > 0) buf_add_text(out, between);
	buf_add(out, text);
}

/* ---- times ---- */

struct str span_short(int64_t ms, struct arena *arena)
{
	int64_t s = (ms < 0 ? 0 : ms) / 1000;

	if (s < 60) return arena_print(arena, "%llds", (long long)s);
	if (s < 3600) return arena_print(arena, "%lldm", (long long)(s / 60));
	if (s < 2 * 86400) return arena_print(arena, "%lldh", (long long)(s / 3600));
	return arena_print(arena, "%lldd", (long long)(s / 86400));
}

struct str ask_age(const struct json *ask, int64_t now_ms, struct arena *arena)
{
	int64_t ms = now_ms - ask_time(ask, "created_at");

	return ms < JUST_NOW_MS
		       ? MSG(arena, "tui.asked.now")
		       : MSG(arena, "web.ask.asked", { "span", span_short(ms, arena) });
}

struct str words_ago(int64_t ms, struct arena *arena)
{
	return ms < JUST_NOW_MS
		       ? MSG(arena, "web.now")
		       : MSG(arena, "web.ago", { "span", span_short(ms, arena) });
}

struct str words_due(int64_t ms, struct str end, struct arena *arena)
{
	int64_t s = ms < 0 ? 0 : (ms + 999) / 1000;
	struct str left = s >= 600 ? span_short(s * 1000, arena)
				   : arena_print(arena, "%lld:%02lld",
					     (long long)(s / 60), (long long)(s % 60));

	return arena_print(arena, "%.*s → %.*s", STR_ARGS(left), STR_ARGS(end));
}

static struct tm local_of(int64_t ms)
{
	time_t then = (time_t)(ms / 1000);
	struct tm at;

	localtime_r(&then, &at);
	return at;
}

static struct str time_print(const char *format, int64_t ms, struct arena *arena)
{
	struct tm at = local_of(ms);
	char text[32];

	strftime(text, sizeof text, format, &at);
	return arena_print(arena, "%s", text);
}

struct str time_local(int64_t ms, int64_t now_ms, struct arena *arena)
{
	bool today = day_local(ms) == day_local(now_ms);

	return time_print(today ? "%H:%M" : "%Y-%m-%d %H:%M", ms, arena);
}

int64_t day_begin(int64_t ms, int back)
{
	struct tm at = local_of(ms);

	at.tm_hour = at.tm_min = at.tm_sec = 0;
	at.tm_mday -= back;
	at.tm_isdst = -1;
	return (int64_t)mktime(&at) * 1000;
}

int64_t day_local(int64_t ms)
{
	struct tm at = local_of(ms);

	return (int64_t)at.tm_year * 366 + at.tm_yday;
}

struct str day_words(int64_t ms, int64_t now_ms, struct arena *arena)
{
	if (day_local(ms) == day_local(now_ms)) return MSG(arena, "tui.history.today");
	/* Noon of the day before: there is one in every day. */
	if (day_local(ms) == day_local(day_begin(now_ms, 1) + 12 * 3600 * 1000))
		return MSG(arena, "tui.history.yesterday");
	return time_print("%Y-%m-%d", ms, arena);
}

struct str ask_end_short(const struct json *ask, struct arena *arena)
{
	const struct json *fallback = json_get(ask, "default");
	struct str answer = STR_NONE;

	if (str_is(json_text_of(ask, "kind"), "approval"))
		return MSG(arena, "web.end.rejected");
	if (json_is(fallback, JSON_OBJECT))
		answer = answer_all_words(ask, fallback, arena);
	return answer.len ? MSG(arena, "tui.end.answer", { "answer", answer })
			  : MSG(arena, "tui.end.nothing");
}

struct str ask_end(const struct json *ask, int64_t now_ms, struct arena *arena)
{
	int64_t end = ask_time(ask, "expires_at");
	const struct json *fallback = json_get(ask, "default");
	struct str then = MSG(arena, "web.end.nothing");

	if (end == 0) return STR_NONE;
	if (str_is(json_text_of(ask, "kind"), "approval")) {
		then = MSG(arena, "web.end.rejected");
	} else if (json_is(fallback, JSON_OBJECT)) {
		struct str answer = answer_all_words(ask, fallback, arena);

		then = answer.len > 0
			       ? MSG(arena, "web.end.default", { "answer", answer })
			       : MSG(arena, "web.end.default.any");
	}
	return words_due(end - now_ms, then, arena);
}

/* ---- answers ---- */

static struct str option_label(
	const struct json *question, struct str id, struct arena *arena)
{
	const struct json *options = json_get(question, "options");

	for (const struct json *item = NULL; json_each(options, &item);)
		if (str_eq(json_text_of(item, "id"), id))
			return own_words(json_text_of(question, "key"),
				json_text_of(item, "label"), msg_lang(), arena);
	return id;
}

static struct str plain_words(const struct json *value, struct arena *arena)
{
	if (json_is_bool(value))
		return MSG(
			arena, value->type == JSON_TRUE ? "web.form.yes" : "web.form.no");
	if (str_is(json_text(value), "approve"))
		return MSG(arena, "web.approval.approved");
	if (str_is(json_text(value), "reject"))
		return MSG(arena, "web.approval.rejected");
	return json_is(value, JSON_NUMBER) ? value->text : json_text(value);
}

struct str reply_words(
	const struct json *question, const struct json *value, struct arena *arena)
{
	const struct json *selected = json_get(value, "selected");
	struct str other = json_text_of(value, "other");
	struct str text = json_text_of(value, "text");
	struct buf out = { .max = 65536 };

	for (const struct json *item = NULL; json_each(selected, &item);)
		words_join(&out, ", ", option_label(question, json_text(item), arena));
	if (other.len > 0) { /* with its line ends, which a message would not keep */
		words_join(&out, ", ",
			MSG(arena, "web.form.other.said", { "text", STR_NONE }));
		buf_add(&out, other);
	}
	if (json_get(value, "value"))
		words_join(&out, ", ", plain_words(json_get(value, "value"), arena));
	if (text.len > 0) words_join(&out, ", ", text);
	return buf_keep_done(&out, arena);
}

/* Of several, which one it answers comes first. */
static struct str answer_one(const struct json *ask, const struct json *question,
	const struct json *value, struct arena *arena)
{
	struct str said = reply_words(question, value, arena);
	struct str header = json_text_of(question, "header");

	if (json_get(ask, "questions")->count < 2 || !said.len) return said;
	/* The answer with its line ends, which a message would not keep. */
	header = header.len ? MSG(arena, "web.colon", { "words", header },
				      { "text", STR_NONE })
			    : arena_print(arena, "%.*s ",
				      STR_ARGS(question_text(question, arena)));
	return arena_print(arena, "%.*s%.*s", STR_ARGS(header), STR_ARGS(said));
}

struct str words_said(const struct json *answer)
{
	struct str text = STR_NONE;

	for (uint32_t i = 0; json_is(answer, JSON_OBJECT) && i < answer->count; i++)
		if (!text.len) text = json_text_of(&answer->members[i].value, "text");
	return text;
}

struct str answer_all_words(
	const struct json *ask, const struct json *answers, struct arena *arena)
{
	const struct json *questions = json_get(ask, "questions");
	struct buf out = { .max = 65536 };

	for (const struct json *q = NULL; json_each(questions, &q);) {
		const struct json *value = json_get_str(answers, json_text_of(q, "key"));

		if (value) words_join(&out, ", ", answer_one(ask, q, value, arena));
	}
	return buf_keep_done(&out, arena);
}

static struct str decision_of(const struct json *ask)
{
	const struct json *answer = json_get(ask, "answer");

	for (uint32_t i = 0; json_is(answer, JSON_OBJECT) && i < answer->count; i++) {
		struct str value = json_text_of(&answer->members[i].value, "value");

		if (str_is(value, "approve") || str_is(value, "reject")) return value;
	}
	return STR_NONE;
}

static const char *settled_id(const struct json *ask)
{
	const struct json *by = json_get(ask, "answered_by");
	struct str status = json_text_of(ask, "status");
	struct str kind = json_text_of(by, "kind");
	bool approval = str_is(json_text_of(ask, "kind"), "approval");

	if (json_is(json_get(ask, "revoked"), JSON_OBJECT)) return "tui.settled.revoked";
	if (str_is(status, "cancelled")) return "tui.settled.cancelled";
	if (str_is(kind, "policy")) return "tui.settled.policy";
	if (str_is(kind, "default")) return "tui.settled.default";
	if (str_is(status, "expired"))
		return approval ? "tui.settled.expired.approval" : "tui.settled.expired";
	bool named = json_text_of(by, "name").len > 0;
	if (str_is(status, "skipped"))
		return named ? "tui.settled.skipped.by" : "tui.settled.skipped";
	if (!named) return "tui.settled.answered";
	if (str_is(decision_of(ask), "approve")) return "tui.settled.approved.via";
	return str_is(decision_of(ask), "reject") ? "tui.settled.rejected.via"
						  : "tui.settled.answered.via";
}

/* Everybody whose approval was needed, where there were several. */
static struct str voters_of(const struct json *ask, struct arena *arena)
{
	const struct json *votes = json_get(ask, "votes");
	struct str digest = json_text_of(ask, "approved_digest");
	struct buf names = { .max = 1024 };

	for (const struct json *vote = NULL; json_each(votes, &vote);) {
		if (!digest.len || !json_is(json_get(vote, "counts"), JSON_TRUE) ||
			!str_eq(json_text_of(vote, "digest"), digest) ||
			!str_is(json_text_of(vote, "value"), "approve"))
			continue;
		words_join(&names, ", ", json_text_of(json_get(vote, "by"), "name"));
	}
	return buf_keep_done(&names, arena);
}

struct str ask_settled_by(const struct json *ask, struct arena *arena)
{
	const struct json *by = json_get(ask, "answered_by");
	struct str name = voters_of(ask, arena);

	if (!name.len) name = json_text_of(by, "name");
	return name.len ? name : json_text_of(by, "rule");
}

struct str ask_settled(const struct json *ask, struct arena *arena)
{
	const struct json *revoked = json_get(ask, "revoked");
	bool back = json_is(revoked, JSON_OBJECT);
	const struct json *by =
		json_get(back ? revoked : ask, back ? "by" : "answered_by");
	struct str name = back ? json_text_of(by, "name") : ask_settled_by(ask, arena);

	return MSG(arena, settled_id(ask), { "name", name },
		{ "via", json_text_of(by, "via") });
}

const char *ask_outcome(const struct json *ask)
{
	static const char *const names[] = { "answered", "skipped", "expired",
		"cancelled" };
	struct str status = json_text_of(ask, "status");
	struct str decision = decision_of(ask);

	if (json_is(json_get(ask, "revoked"), JSON_OBJECT)) return "revoked";
	if (str_is(status, "answered") && str_is(decision, "approve")) return "approved";
	if (str_is(status, "answered") && str_is(decision, "reject")) return "rejected";
	for (size_t i = 0; i < sizeof names / sizeof *names; i++)
		if (str_is(status, names[i])) return names[i];
	return "pending";
}

bool ask_changed(const struct json *ask)
{
	const struct json *answer = json_get(ask, "answer");

	for (uint32_t i = 0; json_is(answer, JSON_OBJECT) && i < answer->count; i++)
		if (json_is(json_get(&answer->members[i].value, "arguments"),
			    JSON_OBJECT))
			return true;
	return false;
}

struct str ask_settler(const struct json *ask, struct arena *arena)
{
	const struct json *by = json_get(ask, "answered_by");
	struct str kind = json_text_of(by, "kind");

	if (str_is(kind, "policy"))
		return MSG(arena, "tui.by.rule", { "name", ask_settled_by(ask, arena) });
	if (str_is(kind, "default")) return MSG(arena, "tui.by.default");
	return ask_settled_by(ask, arena);
}

/* ---- votes ---- */

static const struct json *vote_by(const struct json *ask, struct str user)
{
	for (const struct json *vote = NULL; json_each(json_get(ask, "votes"), &vote);)
		if (user.len && str_eq(json_text_of(json_get(vote, "by"), "user"), user))
			return vote;
	return NULL;
}

static struct str number_text(int64_t n, struct arena *arena)
{
	return arena_print(arena, "%lld", (long long)n);
}

/* "one more from ops, Ada": what stands behind team:, role: and user:. */
static struct str votes_missing(
	const struct json *ask, const struct json *part, int64_t n, struct arena *arena)
{
	struct buf who = { .max = 1024 };
	struct str names;

	for (const struct json *one = NULL; json_each(json_get(part, "from"), &one);) {
		struct str entry = json_text(one), name = str_from(entry, 5);
		const struct json *vote =
			str_starts(entry, "user:") ? vote_by(ask, name) : NULL;

		words_join(&who, ", ",
			vote ? json_text_of(json_get(vote, "by"), "name") : name);
	}
	names = buf_keep_done(&who, arena);
	if (!names.len) return msg_count(arena, "tui.votes.more", n);
	return MSG(arena,
		n == 1 ? "tui.votes.more.from.one" : "tui.votes.more.from.other",
		{ "n", number_text(n, arena) }, { "who", names });
}

/* "duo has 1 who can approve: 2 needed" */
static struct str votes_unmet(const struct json *part, int64_t need, struct arena *arena)
{
	const struct json *from = json_get(part, "from");
	struct str one = json_is(from, JSON_ARRAY) && from->count == 1
				 ? json_text(&from->items[0])
				 : STR_NONE;
	struct str team = str_starts(one, "team:") ? str_from(one, 5) : STR_NONE;

	return MSG(arena, team.len ? "web.votes.unmet.team" : "web.votes.unmet",
		{ "team", team }, { "n", number_text(json_int_of(part, "reach"), arena) },
		{ "need", number_text(need, arena) });
}

/* Those whose approval counts: the reader first. */
static void voters_add(struct buf *line, const struct json *ask, struct str me)
{
	const struct json *own = vote_by(ask, me);

	if (own) words_join(line, " · ", str_of(msg_text("tui.votes.you")));
	for (const struct json *vote = NULL; json_each(json_get(ask, "votes"), &vote);) {
		if (vote == own || !json_is(json_get(vote, "counts"), JSON_TRUE))
			continue;
		words_join(line, " · ", json_text_of(json_get(vote, "by"), "name"));
		buf_add_text(line, " ✓");
	}
}

struct str votes_line(
	const struct json *ask, struct str me, bool voters, struct arena *arena)
{
	const struct json *parts = json_get(ask, "require");
	struct buf line = { .max = 8192 };

	for (const struct json *part = NULL; json_each(parts, &part);) {
		int64_t have = json_int_of(part, "have"),
			need = json_int_of(part, "approvals");

		words_join(&line, " · ",
			MSG(arena, "tui.votes", { "have", number_text(have, arena) },
				{ "need", number_text(need, arena) }));
		if (part == parts->items && voters) voters_add(&line, ask, me);
		if (have >= need || !ask_pending(ask)) continue;
		words_join(&line, " · ", votes_missing(ask, part, need - have, arena));
		if (json_get(part, "reach"))
			words_join(&line, " · ", votes_unmet(part, need, arena));
	}
	return buf_keep_done(&line, arena);
}

bool ask_held(const struct json *ask, struct str *tool, struct str *server)
{
	const struct json *context = json_get(ask, "context");
	struct str name = json_text_of(json_get(ask, "operation"), "name");

	*tool = json_text_of(context, "tool");
	*server = json_text_of(context, "server");
	/* "mcp__SERVER__TOOL" */
	return json_text_of(ask, "call").len && tool->len && server->len &&
	       name.len == strlen("mcp____") + server->len + tool->len &&
	       str_starts(name, "mcp__") &&
	       str_eq(str_first(str_from(name, 5), server->len), *server) &&
	       str_eq(str_from(name, name.len - tool->len), *tool);
}

const struct json *ask_tool(const struct json *ask, const struct json *server)
{
	const struct json *one = NULL;
	struct str tool, name;

	if (!ask_held(ask, &tool, &name) || !str_eq(json_text_of(server, "name"), name))
		return NULL;
	while (json_each(json_get(server, "tools"), &one))
		if (str_eq(json_text_of(one, "name"), tool)) return one;
	return NULL;
}

struct str ask_unknown(const struct json *ask, int64_t now_ms, struct arena *arena)
{
	struct str began = json_text_of(json_get(ask, "context"), "started");
	int64_t began_ms;

	if (!str_is(json_text_of(ask, "kind"), "error_recovery") || !began.len ||
		!(json_text_of(ask, "call").len || json_text_of(ask, "run").len) ||
		!time_read(began, &began_ms))
		return STR_NONE;
	return MSG(
		arena, "web.held.unknown", { "at", time_local(began_ms, now_ms, arena) });
}

struct str ask_waits(const struct json *ask, struct arena *arena)
{
	struct str tool, server;

	if (!ask_held(ask, &tool, &server) || json_text_of(ask, "used_at").len ||
		strcmp(ask_outcome(ask), "approved") != 0)
		return STR_NONE;
	return MSG(arena, "web.held.waits",
		{ "agent", json_text_of(json_get(ask, "agent"), "name") });
}

struct str ask_decided(const struct json *ask, struct arena *arena)
{
	if (ask_pending(ask))
		return MSG(arena, "tui.voted", { "title", ask_title(ask, arena) },
			{ "votes", votes_line(ask, STR_NONE, false, arena) });
	bool has = json_is(json_get(ask, "fetched_at"), JSON_STRING);
	struct str id = arena_print(arena, "tui.did.%s", ask_outcome(ask));
	struct str did = MSG(arena, id.at, { "title", ask_title(ask, arena) });

	/* Without an answer there is nothing for the agent to fetch. */
	if (!json_is(json_get(ask, "answer"), JSON_OBJECT)) return did;
	struct str then = ask_waits(ask, arena);
	if (!then.len)
		then = MSG(arena, has ? "tui.agent.has" : "tui.agent.not_yet",
			{ "agent", json_text_of(json_get(ask, "agent"), "name") });

	return arena_print(arena, "%.*s %.*s", STR_ARGS(did), STR_ARGS(then));
}

/* ---- events ---- */

struct str cost_words(const struct json *run, struct arena *arena)
{
	const struct json *cost = json_get(run, "cost_usd");

	struct str text;

	if (!json_is(cost, JSON_NUMBER)) return STR_NONE;
	text = arena_print(arena, "$%.4f", json_real(cost));
	for (int cents = 2; cents > 0 && text.at[text.len - 1] == '0'; cents--)
		text.len--;
	return text;
}

struct str ordinal(size_t n, struct arena *arena)
{
	static const char *const ends[] = { "th", "st", "nd", "rd" };
	size_t last = n % 10;
	bool plain = last > 3 || (n % 100 >= 11 && n % 100 <= 13);

	if (msg_lang() == LANG_FR)
		return arena_print(arena, n == 1 ? "%zuer" : "%zue", n);
	return arena_print(arena, "%zu%s", n, ends[plain ? 0 : last]);
}

struct str progress_words(const struct json *data, struct arena *arena)
{
	const struct json *step = json_get(data, "step"),
			  *steps = json_get(data, "steps");
	struct str text = json_text_of(data, "text");

	if (!json_is(step, JSON_NUMBER) || !json_is(steps, JSON_NUMBER)) return text;
	return arena_print(arena, "%.*s/%.*s · %.*s", STR_ARGS(step->text),
		STR_ARGS(steps->text), STR_ARGS(text));
}

/* "Agent said: Hello!" */
static struct str message_words(const struct json *data, struct arena *arena)
{
	bool agent = str_is(json_text_of(data, "role"), "assistant");
	struct str words = MSG(arena, agent ? "web.said" : "web.event.run.message");
	struct str text = json_text_of(data, "text");

	return text.len ? MSG(arena, "web.colon", { "words", words }, { "text", text })
			: words;
}

struct str words_step(struct str type, const struct json *data, struct arena *arena)
{
	const struct json *n = json_get(data, "messages");

	if (str_is(type, "run.compacted") && json_is(n, JSON_NUMBER))
		return msg_count(arena, "web.chat.summary", n->integer);
	if (!str_is(type, "run.model")) return STR_NONE;
	return arena_print(arena, "%.*s %.*s",
		STR_ARGS(MSG(arena, "web.chat.switched",
			{ "from", json_text_of(data, "from") },
			{ "to", json_text_of(data, "to") })),
		STR_ARGS(msg_named(
			arena, "web.chat.switched", json_text_of(data, "why"))));
}

struct str event_words(const struct json *event, struct str about, struct arena *arena)
{
	struct str type = json_text_of(event, "type");
	const struct json *data = json_get(event, "data");
	struct str status = json_text_of(data, "status");
	struct str title = json_text_of(data, "title");
	struct str by = json_text_of(json_get(data, "answered_by"), "name");

	if (str_is(type, "session.progress")) return progress_words(data, arena);
	if (str_is(type, "session.status") && status.len > 0)
		return msg_named(arena, "web.status", status);
	if (str_is(type, "run.message")) return message_words(data, arena);
	if (words_step(type, data, arena).len) return words_step(type, data, arena);
	static const char *const acts[] = { "vote", "revoked" };
	for (size_t i = 0; by.len == 0 && i < sizeof acts / sizeof *acts; i++)
		by = json_text_of(json_get(json_get(data, acts[i]), "by"), "name");
	if (by.len == 0) by = json_text_of(data, "name");
	const struct json *assignees = json_get(data, "assignees");
	if (str_is(type, "ask.assigned") && assignees && !assignees->count)
		type = STR("ask.unassigned");
	struct str id = arena_print(arena, "web.event.%.*s", STR_ARGS(type));
	const char *text = id.at ? msg_text(id.at) : NULL;
	struct str words =
		!text ? type
		      : MSG(arena, id.at, { "name", by },
				{ "at", time_local(ask_time(data, "expires_at"),
						clock_now_ms(), arena) });
	if (title.len > 0)
		return MSG(arena, "web.colon", { "words", words }, { "text", title });
	if (about.len > 0)
		words = MSG(arena, "web.colon", { "words", words }, { "text", about });
	if (by.len == 0 || (text && strstr(text, "{name}"))) return words;
	return arena_print(arena, "%.*s · %.*s", STR_ARGS(words), STR_ARGS(by));
}

bool event_settles(struct str type)
{
	static const char *const types[] = { "ask.answered", "ask.skipped", "ask.expired",
		"ask.cancelled" };

	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (str_is(type, types[i])) return true;
	return false;
}
