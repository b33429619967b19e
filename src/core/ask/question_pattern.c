/* question_pattern.c - what is the same in a question that is asked again and again. */
#include "core/ask/question_pattern.h"

#include "base/utf8.h"
#include "core/policy/subject.h"

enum { ID_LEAST = 8, HEX_LEAST = 7, TOKEN_LEAST = 16, TOKEN_SWITCHES = 3 };

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

static bool is_blank(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f;
}

/* ---- a word: what stands between blanks, without the punctuation around it ---- */

struct word_look {
	size_t digits, letters, others, slashes, dots, switches;
	bool hex, scheme, at, dashes;
};

static struct word_look word_look(struct str w)
{
	struct word_look l = { .hex = true };

	for (size_t i = 0; i < w.len; i++) {
		char c = w.at[i];
		bool digit = is_digit(c), letter = is_letter(c);

		l.digits += digit;
		l.letters += letter;
		l.slashes += c == '/' || c == '\\';
		l.dots += c == '.';
		l.dashes |= c == '-';
		l.others += !digit && !letter && c != '_' && c != '-';
		l.hex &= digit || (c >= 'a' && c <= 'f') || c == '-';
		l.at |= c == '@' && i > 0 && i + 1 < w.len;
		l.scheme |= c == ':' && w.len - i > 3 && w.at[i + 1] == '/' &&
			    w.at[i + 2] == '/';
		if (i && (digit || letter) && digit != is_digit(w.at[i - 1]))
			l.switches++;
	}
	return l;
}

static bool word_is_path(struct str w, const struct word_look *l)
{
	if (!l->slashes) return false;
	if (str_starts(w, "/") || str_starts(w, "./") || str_starts(w, "../") ||
		str_starts(w, "~/"))
		return w.len > 1;
	return l->slashes > 1 || l->dots || l->digits ||
	       memchr(w.at, '\\', w.len) != NULL;
}

/* Four numbers of at most three digits, a port perhaps. */
static bool word_is_ip(struct str w)
{
	size_t dots = 0, run = 0, i = 0;

	for (; i < w.len && w.at[i] != ':'; i++) {
		if (w.at[i] == '.' && run)
			dots++, run = 0;
		else if (!is_digit(w.at[i]) || ++run > 3)
			return false;
	}
	return dots == 3 && run;
}

static bool word_is_address(struct str w, const struct word_look *l)
{
	return l->scheme || (l->at && l->dots) || str_starts(w, "www.") ||
	       (l->dots >= 3 && word_is_ip(w));
}

/* "ask_01hq…": a short word, a line, and what nobody would write by hand. */
static bool word_has_prefix(struct str w)
{
	size_t i = 0, digits = 0;

	while (i < w.len && is_letter(w.at[i]))
		i++;
	if (i < 2 || i > ID_LEAST || i >= w.len || w.at[i] != '_' ||
		w.len - i - 1 < ID_LEAST)
		return false;
	for (i++; i < w.len; i++) {
		if (!is_digit(w.at[i]) && !is_letter(w.at[i])) return false;
		digits += is_digit(w.at[i]);
	}
	return digits > 0;
}

static bool word_is_id(struct str w, const struct word_look *l)
{
	if (!l->digits || !l->letters || l->others) return false;
	if (l->hex && l->digits + l->letters >= HEX_LEAST) return true;
	return word_has_prefix(w) ||
	       (w.len >= TOKEN_LEAST && l->switches >= TOKEN_SWITCHES);
}

static void digits_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		bool digit = is_digit(text.at[i]);

		if (!digit)
			buf_add_char(out, text.at[i]);
		else if (!i || !is_digit(text.at[i - 1]))
			buf_add_char(out, '#');
	}
}

static bool is_around(char c, const char *set)
{
	return c && strchr(set, c);
}

static void word_add(struct buf *out, struct str whole)
{
	struct str w = whole;
	size_t before = 0;
	struct word_look l;

	while (before < w.len && is_around(w.at[before], "([{<"))
		before++;
	w = str_from(w, before);
	while (w.len && is_around(w.at[w.len - 1], ")]}>,;:!?."))
		w.len--;
	l = word_look(w);
	if (!word_is_address(w, &l) && !word_is_path(w, &l) && !word_is_id(w, &l)) {
		digits_add(out, whole);
		return;
	}
	digits_add(out, str_first(whole, before));
	buf_add_text(out, "…");
	digits_add(out, str_from(whole, before + w.len));
}

/* ---- the text ---- */

static const struct {
	struct str open, close;
} quotes[] = {
	{ STR("\""), STR("\"") },
	{ STR("`"), STR("`") },
	{ STR("'"), STR("'") },
	{ STR("“"), STR("”") },
	{ STR("„"), STR("“") },
	{ STR("‘"), STR("’") },
	{ STR("«"), STR("»") },
};

static bool text_at(struct str text, size_t at, struct str what)
{
	return text.len - at >= what.len && memcmp(text.at + at, what.at, what.len) == 0;
}

static bool is_wordly(char c)
{
	return is_digit(c) || is_letter(c) || (unsigned char)c >= 0x80;
}

/* Where each kind of quote closes is looked for once only: with many that never close the time would
 * be the square of the text. */
struct text_quotes {
	struct str text;
	bool open_ended[sizeof quotes / sizeof *quotes];
};

/* The quoted part that begins here, in bytes; 0: none does. A quote within a word is an apostrophe. */
static size_t quoted_len(struct text_quotes *q, size_t at)
{
	struct str text = q->text;

	for (size_t k = 0; k < sizeof quotes / sizeof *quotes; k++) {
		struct str close = quotes[k].close;

		if (q->open_ended[k] || !text_at(text, at, quotes[k].open)) continue;
		if (at && is_wordly(text.at[at - 1]) && quotes[k].open.len == 1) continue;
		for (size_t i = at + quotes[k].open.len; i < text.len; i++) {
			size_t end = i + close.len;

			if (!text_at(text, i, close)) continue;
			if (close.len == 1 && end < text.len && is_wordly(text.at[end]))
				continue;
			return end - at;
		}
		q->open_ended[k] = true;
	}
	return 0;
}

static void folded_add(struct buf *out, struct str text)
{
	struct text_quotes q = { .text = text };
	size_t start = 0, word = 0, i = 0;

	start = out->len;
	while (i < text.len) {
		size_t quoted = quoted_len(&q, i);

		if (!quoted && !is_blank(text.at[i])) {
			i++;
			continue;
		}
		word_add(out, str_make(text.at + word, i - word));
		if (quoted)
			buf_add_text(out, "…");
		else if (out->len > start && out->at[out->len - 1] != ' ')
			buf_add_char(out, ' ');
		i += quoted ? quoted : 1;
		word = i;
	}
	word_add(out, str_make(text.at + word, text.len - word));
	while (out->len > start && out->at[out->len - 1] == ' ')
		out->len--;
}

void pattern_of_text(struct buf *out, struct str text)
{
	struct buf folded = { .max = PATTERN_MAX * 64 };

	utf8_fold(&folded, utf8_first(str_trim(text), PATTERN_MAX));
	if (folded.failed) out->failed = true;
	folded_add(out, buf_str(&folded));
	buf_done(&folded);
}

/* Its first two words; the rest is what it is about this time. */
static struct str words_two(struct str text)
{
	size_t i = 0;

	for (int n = 0; n < 2; n++) {
		while (i < text.len && is_blank(text.at[i]))
			i++;
		while (i < text.len && !is_blank(text.at[i]))
			i++;
	}
	return str_first(text, i);
}

void pattern_of_operation(
	struct buf *out, const struct json *operation, struct arena *scratch)
{
	struct str name = json_text(json_get(operation, "name"));
	const struct json *arguments = json_get(operation, "arguments");
	const struct json *argv = json_get(arguments, "argv");
	bool command = str_is(json_text(json_get(operation, "type")), "command") && argv;
	struct subject subjects[SUBJECTS_MAX];
	enum subject_kind kind = SUBJECT_COMMAND;
	size_t len;

	/* A command line that gate runs is called as its first word. */
	if (!command) pattern_of_text(out, name);
	if (!command && (!subject_kind_of(name, &kind) || kind != SUBJECT_COMMAND))
		return;
	len = command ? subject_read_command(argv, scratch, subjects)
		      : subject_read(name, arguments, scratch, subjects);
	if (!len || !subjects[0].known || subjects[0].kind != SUBJECT_COMMAND) return;
	if (!command) buf_add_char(out, ' ');
	pattern_of_text(out, words_two(str_trim(subjects[0].text)));
}
