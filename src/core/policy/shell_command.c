/* shell_command.c - reads one command: words, quotes, substitutions, redirections. */
#include "core/policy/shell_command.h"

#include "core/policy/shell_text.h"

enum { DEPTH_MAX = 32, HEREDOCS_MAX = 8 };

struct heredoc {
	struct str word; /* that ends it, with its quotes */
	bool tabs;	 /* before it do not count: <<- */
};

struct shell_reader {
	struct str s;
	size_t at;
	enum shell_form form;
	bool too_deep;
	int depth;
	int cases;    /* that are open in the list that is read */
	bool pattern; /* of a case, up to its ) */
	struct heredoc heredocs[HEREDOCS_MAX]; /* that begin with the next line */
	size_t heredocs_len;
};

static bool is_one_of(char c, const char *set)
{
	return c != '\0' && strchr(set, c);
}

static bool ends_word(char c)
{
	switch (c) {
	case ' ':
	case '\t':
	case '\n':
	case ';':
	case '&':
	case '|':
	case '(':
	case ')': return true;
	default: return false;
	}
}

static bool at_end(const struct shell_reader *r)
{
	return r->at >= r->s.len;
}

static char peek(const struct shell_reader *r, size_t ahead)
{
	return r->at + ahead < r->s.len ? r->s.at[r->at + ahead] : '\0';
}

static bool sees(const struct shell_reader *r, const char *text)
{
	return str_starts(str_from(r->s, r->at), text);
}

static void advance(struct shell_reader *r, size_t n)
{
	r->at = n < r->s.len - r->at ? r->at + n : r->s.len;
}

static struct str read_since(const struct shell_reader *r, size_t start)
{
	return str_make(r->s.at + start, r->at - start);
}

static void raw_add(struct shell_text *t, struct str raw)
{
	for (size_t i = 0; i < raw.len; i++)
		shell_text_add(t, raw.at[i]);
}

/* ---- inside of words ---- */

static void list_skip(struct shell_reader *);
static void expansion_read(struct shell_reader *, struct shell_text *, bool quoted);

/* What is not closed goes on to the end. */
static void single_quotes_read(struct shell_reader *r, struct shell_text *t)
{
	for (advance(r, 1); !at_end(r) && peek(r, 0) != '\''; advance(r, 1))
		shell_text_add(t, peek(r, 0));
	advance(r, 1);
}

static void double_quotes_read(struct shell_reader *r, struct shell_text *t)
{
	for (advance(r, 1); !at_end(r) && peek(r, 0) != '"';) {
		char c = peek(r, 0);

		if (c == '$' || c == '`') {
			expansion_read(r, t, true);
		} else if (c == '\\' && is_one_of(peek(r, 1), "$`\"\\")) {
			shell_text_add(t, peek(r, 1));
			advance(r, 2);
		} else {
			shell_text_add(t, c);
			advance(r, 1);
		}
	}
	advance(r, 1);
}

static bool deeper(struct shell_reader *r)
{
	if (r->depth < DEPTH_MAX && !r->too_deep) return ++r->depth;
	r->too_deep = true;
	r->at = r->s.len;
	return false;
}

/* To behind the `close` of ${…}, $[…] and a[…]. In double quotes, single ones are text. */
static void brackets_skip(struct shell_reader *r, char open, char close, bool quoted)
{
	struct shell_text none = { 0 };

	if (!deeper(r)) return;
	while (!at_end(r) && peek(r, 0) != close) {
		char c = peek(r, 0);

		if (c == '\'' && !quoted) {
			single_quotes_read(r, &none);
		} else if (c == '"') {
			double_quotes_read(r, &none);
		} else if (c == '$' || c == '`') {
			expansion_read(r, &none, quoted);
		} else if (c == '[' && c == open) {
			advance(r, 1);
			brackets_skip(r, open, close, quoted);
		} else {
			advance(r, c == '\\' ? 2 : 1);
		}
	}
	advance(r, 1);
	r->depth--;
}

static void backticks_skip(struct shell_reader *r)
{
	advance(r, 1);
	while (!at_end(r) && peek(r, 0) != '`')
		advance(r, peek(r, 0) == '\\' ? 2 : 1);
	advance(r, 1);
}

static size_t name_len(struct str word)
{
	size_t i = 0;

	while (i < word.len &&
		((word.at[i] >= 'a' && word.at[i] <= 'z') ||
			(word.at[i] >= 'A' && word.at[i] <= 'Z') || word.at[i] == '_' ||
			(i > 0 && word.at[i] >= '0' && word.at[i] <= '9')))
		i++;
	return i;
}

static bool is_name(struct str word)
{
	return word.len > 0 && name_len(word) == word.len;
}

/* A substitution, or a $ that stands for itself. */
static void substitution_skip(struct shell_reader *r, bool quoted)
{
	char open = peek(r, 1);

	if (peek(r, 0) == '`') {
		backticks_skip(r);
	} else if (open == '(') {
		advance(r, 2);
		list_skip(r);
	} else if (open == '{' || open == '[') {
		advance(r, 2);
		brackets_skip(r, open, open == '{' ? '}' : ']', quoted);
	} else if (is_one_of(open, "0123456789@*#?$!-")) {
		advance(r, 2);
	} else {
		advance(r, 1 + name_len(str_from(r->s, r->at + 1)));
	}
}

/* What begins with $ or a backtick. */
static void expansion_read(struct shell_reader *r, struct shell_text *t, bool quoted)
{
	size_t start = r->at, ifs = shell_ifs_add(t, r->s, r->at);

	if (ifs) {
		advance(r, ifs);
	} else if (!quoted && sees(r, "$'")) {
		r->at = shell_escapes_add(t, r->s, r->at + 2);
		advance(r, 1);
	} else if (!quoted && sees(r, "$\"")) {
		advance(r, 1);
		double_quotes_read(r, t);
	} else {
		substitution_skip(r, quoted);
		if (r->form != SHELL_WITHOUT_SUBSTITUTIONS)
			raw_add(t, read_since(r, start));
	}
}

/* ---- words ---- */

static bool assigns(struct str word)
{
	size_t name = name_len(word);

	return name > 0 && name < word.len &&
	       (is_one_of(word.at[name], "=[") || str_starts(str_from(word, name), "+="));
}

/* `first`: an assignment may stand here, so that a[…] and a=(…) are one word, whatever is in
 * them. */
static void word_read(struct shell_reader *r, struct shell_text *t, bool first)
{
	size_t start = r->at;

	while (!at_end(r)) {
		size_t from = r->at;
		char c = peek(r, 0);
		struct str before = read_since(r, start);
		bool array =
			c == '(' && first && str_ends(before, "=") && assigns(before);

		if (ends_word(c) && !array) return;
		switch (c) {
		case '\'': single_quotes_read(r, t); continue;
		case '"': double_quotes_read(r, t); continue;
		case '$':
		case '`': expansion_read(r, t, false); continue;
		case '\\':
			if (r->at + 1 < r->s.len) shell_text_add(t, peek(r, 1));
			advance(r, 2);
			continue;
		case '(':
		case '<':
		case '>':
			if (!array && peek(r, 1) != '(') return;
			advance(r, array ? 1 : 2);
			list_skip(r);
			raw_add(t, read_since(r, from));
			continue;
		case '[':
			if (!first || !is_name(before)) break;
			advance(r, 1);
			brackets_skip(r, '[', ']', false);
			raw_add(t, read_since(r, from));
			continue;
		default: break;
		}
		shell_text_add(t, c);
		r->at++;
	}
}

static bool is_among(struct str word, const struct str *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (word.at[0] == list[i].at[0] && str_eq(word, list[i])) return true;
	return false;
}

#define IS_AMONG(word, list) is_among(word, list, sizeof list / sizeof *list)

/* Words that a command may follow: where one may begin, and in compound commands, which
 * these begin or end: `for x do`, `coproc x if`, `if [[ x ]] then`. */
static const struct str introducing[] = { STR("!"), STR("coproc"), STR("do"), STR("elif"),
	STR("else"), STR("if"), STR("then"), STR("time"), STR("until"), STR("while") };
static const struct str headers[] = { STR("coproc"), STR("for"), STR("function"),
	STR("select") };
static const struct str closing[] = { STR("]]"), STR("done"), STR("esac"), STR("fi"),
	STR("}") };

/* It may leave nothing: `$SUDO rm x`. */
static bool may_vanish(struct str word)
{
	if (str_starts(word, "\"")) word = str_from(word, 1);
	return str_starts(word, "`") ||
	       (str_starts(word, "$") && word.len > 1 && !is_one_of(word.at[1], "'\""));
}

/* ---- redirections ---- */

/* How long the sign at r->at is; 0: there is none. &> &>> < <& <> << <<- <<< > >& >> >| */
static size_t sign_len(const struct shell_reader *r)
{
	char next = peek(r, 1), third = peek(r, 2);

	switch (peek(r, 0)) {
	case '&': return next != '>' ? 0 : third == '>' ? 3 : 2;
	case '<':
		if (next == '(') return 0;
		if (next == '<') return third == '<' || third == '-' ? 3 : 2;
		return next == '&' || next == '>' ? 2 : 1;
	case '>':
		if (next == '(') return 0;
		return next == '&' || next == '>' || next == '|' ? 2 : 1;
	default: return 0;
	}
}

/* A redirection follows, of which this is a part: 2 of `2>x`, {fd} of `{fd}>x`, nothing. */
static bool is_descriptor(const struct shell_reader *r, struct str word)
{
	size_t digits = 0;

	if (!sign_len(r)) return false;
	if (word.len == 0 || peek(r, 0) == '&') return word.len == 0;
	if (word.len > 2 && word.at[0] == '{' && word.at[word.len - 1] == '}')
		return is_name(str_make(word.at + 1, word.len - 2));
	while (digits < word.len && word.at[digits] >= '0' && word.at[digits] <= '9')
		digits++;
	return digits == word.len;
}

static void redirection_read(struct shell_reader *r, struct shell_text *t)
{
	struct shell_text before = *t;
	size_t sign = r->at, len = sign_len(r), start;
	bool heredoc = sees(r, "<<") && !sees(r, "<<<");

	advance(r, len);
	if (r->form == SHELL_REDIRECTED_WORDS)
		shell_text_add(t, ' ');
	else
		raw_add(t, read_since(r, sign));
	for (; is_one_of(peek(r, 0), " \t"); advance(r, 1))
		shell_text_add(t, peek(r, 0));
	start = r->at;
	word_read(r, t, false);
	if (heredoc && r->heredocs_len < HEREDOCS_MAX)
		r->heredocs[r->heredocs_len++] =
			(struct heredoc){ read_since(r, start), len == strlen("<<-") };
	if (r->form <= SHELL_WITHOUT_REDIRECTIONS) *t = before;
}

/* ---- commands ---- */

static void start_add(struct shell_command *c, size_t at, size_t len, bool shifted)
{
	if (c->starts_len == SHELL_STARTS_MAX)
		c->too_deep = true;
	else
		c->starts[c->starts_len++] = (struct shell_start){ at, len, shifted };
}

/* Where in a command the reader is. */
struct position {
	bool starts;   /* the next word may name the program */
	bool shifted;  /* assignments or redirections stand before it */
	bool compound; /* `do`, `then` and their like may stand here */
};

/* One word, or one redirection with the number before it. */
static void word_take(struct shell_reader *r, struct shell_text *t,
	struct shell_command *c, struct position *p)
{
	struct shell_text before = *t;
	size_t from = r->at;
	bool starts = p->starts;

	if (!sign_len(r)) word_read(r, t, starts && !r->pattern);
	struct str word = read_since(r, from);

	if (is_descriptor(r, word)) {
		if (r->form <= SHELL_WITHOUT_REDIRECTIONS) *t = before;
		redirection_read(r, t);
		p->shifted = true;
		if (c) c->redirected = true;
		return;
	}
	if (starts && str_is(word, "case")) r->cases++, r->pattern = true;
	if (starts && str_is(word, "esac")) r->cases--, r->pattern = false;
	p->compound |= IS_AMONG(word, closing) || (starts && IS_AMONG(word, headers));
	p->starts = (starts || p->compound) && IS_AMONG(word, introducing);
	if (!starts || p->starts) return;
	if (assigns(word)) {
		p->starts = p->shifted = true;
	} else if (word.at[0] == '-') {
		p->starts = true;
	} else {
		p->starts = may_vanish(word);
		if (c) start_add(c, before.len, t->len - before.len, p->shifted);
	}
}

/* To what ends it. `c` NULL: it is only skipped. */
static void command_read(
	struct shell_reader *r, struct shell_text *t, struct shell_command *c)
{
	struct position p = { .starts = true };

	while (!at_end(r)) {
		char next = peek(r, 0);

		if (next == ' ' || next == '\t') {
			shell_text_add(t, next);
			r->at++;
		} else if (next == '#' || (ends_word(next) && !sign_len(r))) {
			return;
		} else {
			word_take(r, t, c, &p);
		}
	}
}

static bool heredoc_ends(const struct heredoc *h, struct str line)
{
	size_t at = 0;

	while (h->tabs && at < line.len && line.at[at] == '\t')
		at++;
	for (size_t i = 0; i < h->word.len; i++) {
		if (is_one_of(h->word.at[i], "'\"\\")) continue;
		if (at >= line.len || line.at[at++] != h->word.at[i]) return false;
	}
	return at == line.len;
}

/* To behind the here-documents that begin here. */
static void heredocs_skip(struct shell_reader *r, size_t first)
{
	struct str rest = str_from(r->s, r->at), line;

	for (size_t i = first; i < r->heredocs_len; i++)
		while (str_cut(&rest, '\n', &line))
			if (heredoc_ends(&r->heredocs[i], line)) break;
	if (r->heredocs_len > first) r->at = r->s.len - rest.len;
	r->heredocs_len = first;
}

/* From behind a ( to behind its ): commands, as in $(…), <(…) and (…). */
static void list_skip(struct shell_reader *r)
{
	struct shell_text none = { 0 };
	struct shell_reader outer = *r;
	bool ended = false;

	if (!deeper(r)) return;
	for (r->cases = 0, r->pattern = false; !at_end(r) && !ended;) {
		command_read(r, &none, NULL);
		char c = peek(r, 0);

		if (c == '#') {
			while (!at_end(r) && peek(r, 0) != '\n')
				advance(r, 1);
			continue;
		}
		advance(r, 1);
		if (c == '(' && !r->pattern) list_skip(r);
		if (c == '\n') heredocs_skip(r, outer.heredocs_len);
		if (c == ';' && r->cases > 0) r->pattern |= is_one_of(peek(r, 0), ";&");
		if (c == ')') r->pattern = false;
		ended = c == ')' && r->cases <= 0;
	}
	r->cases = outer.cases;
	r->pattern = outer.pattern;
	r->heredocs_len = outer.heredocs_len;
	r->depth--;
}

void shell_command_read(
	struct str text, enum shell_form form, char *out, struct shell_command *c)
{
	struct shell_reader r = { .s = text, .form = form };
	struct shell_text t = { .out = out, .exact = form == SHELL_WITH_BLANKS };

	c->starts_len = 0;
	c->redirected = c->too_deep = false;
	command_read(&r, &t, c);
	if (t.len && t.last == ' ') t.len--;
	c->end = r.at;
	c->len = t.len;
	c->changed = t.changed || t.len != str_trim(str_first(text, r.at)).len;
	c->too_deep |= r.too_deep;
}
