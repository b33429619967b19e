/* mail_reply.c - the meaning of a reply: an answer, a skip, a question back, or nothing. */
#include "core/notify/mail_reply.h"

#include "base/keep.h"
#include "base/utf8.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"

struct reply_words {
	struct arena *arena;
	const struct ask_parts *parts;
	bool decides;
};

/* ---- words ---- */

static struct str folded(struct reply_words *r, struct str s)
{
	struct buf out = { .max = 64 * 1024 };

	utf8_fold(&out, str_trim(s));
	return buf_keep_done(&out, r->arena);
}

static bool same(struct reply_words *r, struct str a, struct str b)
{
	return str_eq(folded(r, a), folded(r, b));
}

/* A full stop or an exclamation mark ends a word and says nothing. */
static struct str word_end(struct str s)
{
	s = str_trim(s);
	while (s.len && strchr(".!", s.at[s.len - 1]))
		s = str_trim(str_first(s, s.len - 1));
	return s;
}

static bool word_in(struct str s, const char *const *words)
{
	for (s = word_end(s); *words; words++)
		if (str_is_nocase(s, *words)) return true;
	return false;
}

static const char *const yes[] = { "yes", "oui", NULL };
static const char *const no[] = { "no", "non", NULL };
static const char *const approve[] = { "approve", "approuver", NULL };
static const char *const reject[] = { "reject", "refuser", "rejeter", NULL };
static const char *const skip[] = { "skip", "passer", NULL };

static struct str first_line(struct str text, struct str *rest)
{
	struct str line = text;

	*rest = text;
	if (!str_cut(rest, '\n', &line)) *rest = STR_NONE;
	*rest = str_trim(*rest);
	return str_trim(line);
}

/* "2", "2.", "2)": 0: no such number. */
static size_t number_of(struct str s, size_t max)
{
	int64_t n;

	s = str_trim(s);
	if (s.len > 1 && strchr(".)", s.at[s.len - 1])) s.len--;
	return s.len && s.at[0] >= '0' && s.at[0] <= '9' &&
			       str_to_int(s, 1, (int64_t)max, &n)
		       ? (size_t)n
		       : 0;
}

/* "Other: text", "Autre : text" */
static bool other_of(struct str s, struct str *text)
{
	int colon = str_find(s, STR(":"));
	struct str name = str_first(s, colon < 0 ? 0 : (size_t)colon);

	/* A no-break space may stand before the colon. */
	if (str_ends(name, "\xc2\xa0")) name.len -= 2;
	if (str_ends(name, "\xe2\x80\xaf")) name.len -= 3;
	name = str_trim(name);
	if (!str_is_nocase(name, "other") && !str_is_nocase(name, "autre")) return false;
	*text = str_trim(str_from(s, (size_t)colon + 1));
	return text->len > 0;
}

/* The option that is meant; -1: none, or one by its number and another by its name. */
static int option_of(struct reply_words *r, const struct question *q, struct str s)
{
	struct str clean = word_end(s);
	size_t n = number_of(s, q->options_len);
	int found = -1;

	for (size_t i = 0; i < q->options_len; i++) {
		const struct option *o = &q->options[i];

		if (!same(r, o->id, s) && !same(r, o->label, s) &&
			!same(r, o->id, clean) && !same(r, o->label, clean))
			continue;
		if (found >= 0) return -1;
		found = (int)i;
	}
	if (!n) return found;
	return found < 0 || found == (int)n - 1 ? (int)n - 1 : -1;
}

/* ---- values ---- */

static void selected_open(struct json_writer *w)
{
	jw_object(w);
	jw_put_array(w, "selected");
}

static bool choice_write(struct reply_words *r, const struct question *q, struct str s,
	struct json_writer *w)
{
	int i = option_of(r, q, s);
	struct str other;

	if (i < 0 && !(q->other && other_of(s, &other))) return false;
	selected_open(w);
	if (i >= 0) jw_str(w, q->options[i].id);
	jw_array_end(w);
	if (i < 0) jw_put_str(w, "other", other);
	jw_object_end(w);
	return true;
}

/* With commas between; a label may have one itself. */
static bool choices_write(struct reply_words *r, const struct question *q, struct str s,
	struct json_writer *w)
{
	struct str rest = s, piece, other = STR_NONE;
	uint32_t chosen = 0;
	int whole = option_of(r, q, s);

	if (whole >= 0) chosen = UINT32_C(1) << whole;
	while (!chosen || whole < 0) {
		struct str from = str_trim(rest);
		int i;

		if (!from.len) break;
		if (q->other && other_of(from, &other)) break;
		str_cut(&rest, ',', &piece);
		i = option_of(r, q, piece);
		if (i < 0) return false;
		chosen |= UINT32_C(1) << i;
	}
	if (!chosen && !other.len) return false;
	selected_open(w);
	for (size_t i = 0; i < q->options_len; i++)
		if (chosen & UINT32_C(1) << i) jw_str(w, q->options[i].id);
	jw_array_end(w);
	jw_put_some(w, "other", other);
	jw_object_end(w);
	return true;
}

/* The first word decides, the rest is the reason. */
static bool approval_write(struct reply_words *r, struct str text, struct json_writer *w)
{
	size_t n = 0;
	struct str word, reason;
	bool yes_word;

	while (n < text.len && !strchr(" \t\n,;:.!?", text.at[n]))
		n++;
	word = str_first(text, n);
	yes_word = word_in(word, approve);
	if (!yes_word && !word_in(word, reject)) return false;
	reason = str_from(text, n);
	if (reason.len && reason.at[0] == '?') return false;
	while (reason.len && strchr(" \t\n,;:.!-", reason.at[0]))
		reason = str_from(reason, 1);
	r->decides = true;
	jw_object(w);
	jw_put_text(w, "value", yes_word ? "approve" : "reject");
	if (reason.len) jw_put_str(w, "text", str_trim(reason));
	jw_object_end(w);
	return true;
}

static bool number_write(struct reply_words *r, struct str s, struct json_writer *w)
{
	const struct json *json = NULL;
	struct fault why = { 0 };

	s = str_trim(s);
	if (!s.len || s.len > 40 || json_read(s, NULL, r->arena, &json, &why) ||
		!json_is(json, JSON_NUMBER))
		return false;
	jw_raw(w, s);
	return true;
}

/* `text` is all that was said to this question. */
static bool value_write(struct reply_words *r, const struct question *q, struct str text,
	struct json_writer *w)
{
	struct str rest, line = first_line(text, &rest);

	switch (question_kind(q)->input) {
	case INPUT_TEXT: jw_str(w, text); return text.len > 0;
	case INPUT_NUMBER: return number_write(r, line, w);
	case INPUT_YES_NO:
		if (!word_in(line, yes) && !word_in(line, no)) return false;
		jw_bool(w, word_in(line, yes));
		return true;
	case INPUT_ONE: return choice_write(r, q, line, w);
	case INPUT_MANY: return choices_write(r, q, line, w);
	case INPUT_DECISION: return approval_write(r, text, w);
	}
	return false;
}

/* ---- several questions ---- */

/* "KEY: value", "2. value": the question that a line begins to answer; -1: none. */
static int line_question(struct reply_words *r, struct str line, struct str *value)
{
	const struct ask_parts *p = r->parts;
	size_t n = 0;

	while (n < line.len && !strchr(".):", line.at[n]))
		n++;
	if (n == line.len) return -1;
	struct str name = str_trim(str_first(line, n));
	size_t number = number_of(name, p->questions_len);

	*value = str_trim(str_from(line, n + 1));
	for (size_t i = 0; i < p->questions_len; i++)
		if (line.at[n] == ':' && same(r, p->questions[i].key, name))
			return (int)i;
	return (int)number - 1;
}

/* Lines after the first belong to a text, and to the reason of a decision. */
static bool takes_lines(const struct question *q)
{
	return question_kind(q)->input == INPUT_TEXT || question_decides(q);
}

enum { LINES_MAX = 500 };

struct said_to {
	const char *start, *end; /* NULL: nothing */
};

static bool several_write(struct reply_words *r, struct str text, struct json_writer *w)
{
	const struct ask_parts *p = r->parts;
	struct said_to *said = ARENA_ARRAY(r->arena, struct said_to, p->questions_len);
	struct str line, value;
	int at = -1, lines = 0;
	bool good = true, some = false;

	if (!said) return false;
	while (str_cut(&text, '\n', &line)) {
		int i = line_question(r, str_trim(line), &value);

		if (++lines > LINES_MAX) return false;
		if (i >= 0 && said[i].start) return false; /* twice */
		if (i >= 0) {
			said[i] = (struct said_to){ value.at ? value.at : line.at,
				value.at ? value.at + value.len : line.at };
			at = i;
		} else if (at >= 0 && str_trim(line).len &&
			   takes_lines(&p->questions[at])) {
			line = str_trim(line);
			said[at].end = line.at + line.len;
		}
	}
	jw_object(w);
	for (size_t i = 0; good && i < p->questions_len; i++) {
		if (!said[i].start) continue;
		jw_key_str(w, p->questions[i].key);
		good = value_write(r, &p->questions[i],
			str_trim(str_make(
				said[i].start, (size_t)(said[i].end - said[i].start))),
			w);
		some = true;
	}
	jw_object_end(w);
	return good && some;
}

/* ---- the whole ---- */

static bool answer_write(struct reply_words *r, struct str text, struct json_writer *w)
{
	const struct ask_parts *p = r->parts;
	bool good;

	jw_object(w);
	jw_key(w, "answers");
	if (p->questions_len == 1) {
		jw_object(w);
		jw_key_str(w, p->questions[0].key);
		good = value_write(r, &p->questions[0], text, w);
		jw_object_end(w);
	} else {
		good = several_write(r, text, w);
	}
	jw_object_end(w);
	return good;
}

static void note_write(struct json_writer *w, const char *name, struct str text)
{
	jw_object(w);
	jw_put_some(w, name, text);
	jw_object_end(w);
}

static enum mail_verb verb_read(
	struct reply_words *r, struct str text, struct json_writer *w, bool *needs_note)
{
	struct str rest, line = first_line(text, &rest);
	bool of_text = r->parts->questions_len == 1 &&
		       question_kind(r->parts->questions)->input == INPUT_TEXT;

	if (!text.len) return MAIL_MEANS_NOTHING;
	if (line.len && line.at[0] == '?') {
		text = str_trim(str_from(text, 1));
		note_write(w, "text", utf8_first(text, REPLY_MAX));
		return text.len ? MAIL_MEANS_ASK_BACK : MAIL_MEANS_NOTHING;
	}
	/* More than the word may be the answer to a question for text. */
	if (word_in(line, skip) && !(of_text && rest.len)) {
		note_write(w, "reason", utf8_first(rest, REASON_MAX));
		return MAIL_MEANS_SKIP;
	}
	for (size_t i = 0; i < r->parts->questions_len; i++)
		*needs_note |= r->parts->questions[i].note_required;
	if (*needs_note || !r->parts->questions_len) return MAIL_MEANS_NOTHING;
	return answer_write(r, text, w) ? MAIL_MEANS_ANSWER : MAIL_MEANS_NOTHING;
}

bool mail_reply_read(struct str text, const struct ask_parts *parts, struct arena *arena,
	struct mail_meaning *out)
{
	struct reply_words r = { .arena = arena, .parts = parts };
	struct buf body = { .max = 1 << 20 };
	struct json_writer w = { .out = &body };
	struct mail_meaning m = { 0 };
	bool whole;

	m.verb = verb_read(&r, text, &w, &m.needs_note);
	m.decides = r.decides;
	whole = !body.failed;
	m.body = m.verb == MAIL_MEANS_NOTHING ? STR_NONE
					      : arena_str(arena, buf_str(&body));
	buf_done(&body);
	if (!whole || arena->failed) return false;
	*out = m;
	return true;
}
