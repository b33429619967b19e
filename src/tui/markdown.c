/* markdown.c - an agent's Markdown as rows of a page. What is no pair of marks stays as it is. */
#include "tui/markdown.h"

#include "text/safe_text.h"

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_word(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
	       (c >= 'A' && c <= 'Z') || (unsigned char)c >= 0x80;
}

static void row_begin(struct page *p, size_t indent)
{
	page_row(p);
	page_pad(p, indent);
}

/* A word goes into the next row when this one has no room for it; one that fits into none is broken. */
static void word_put(struct page *p, enum style style, size_t indent, struct str word)
{
	if (p->column > indent && p->column + text_width(word) > p->width)
		row_begin(p, indent);
	for (;;) {
		size_t room = p->width > p->column ? p->width - p->column : 1;
		struct str head = text_head(word, room);

		if (head.len == 0 || head.len == word.len || p->failed) break;
		page_add(p, style, head);
		word = str_from(word, head.len);
		row_begin(p, indent);
	}
	page_add(p, style, word);
}

static void words_put(struct page *p, enum style style, size_t indent, struct str text)
{
	while (text.len > 0) {
		size_t blanks = 0, end;
		struct str word;

		while (blanks < text.len && is_blank(text.at[blanks]))
			blanks++;
		for (end = blanks; end < text.len && !is_blank(text.at[end]);)
			end++;
		word = str_make(text.at + blanks, end - blanks);
		/* At the end of a row blanks are left out. */
		if (blanks > 0 && p->column > indent &&
			p->column + blanks + text_width(word) <= p->width)
			page_add(p, style, str_first(text, blanks));
		else if (blanks > 0 && word.len > 0 && p->column > indent)
			row_begin(p, indent);
		if (word.len > 0) word_put(p, style, indent, word);
		text = str_from(text, end);
	}
}

/* What stands between a mark at the start of `text` and the next one; empty: this is no mark.
 * Inside a word `_` and `*` are letters: snake_case, 2*3*4. */
static struct str between(struct str text, const char *mark, char before)
{
	struct str rest = str_from(text, str_of(mark).len);
	struct str inner;
	char after;
	int end;

	if (!str_starts(text, mark) || is_word(before)) return STR_NONE;
	end = str_find(rest, str_of(mark));
	if (end <= 0) return STR_NONE;
	inner = str_first(rest, (size_t)end);
	rest = str_from(rest, (size_t)end + str_of(mark).len);
	after = rest.len > 0 ? rest.at[0] : ' ';
	if (is_blank(inner.at[0]) || is_blank(inner.at[inner.len - 1]) || is_word(after))
		return STR_NONE;
	return inner;
}

/* [words](address): both are shown. Returns how much of the text it took, 0 if it is none. */
static size_t link_put(struct page *p, enum style style, size_t indent, struct str text)
{
	int middle = text.at[0] == '[' ? str_find(text, STR("](")) : -1;
	struct str address = middle > 0 ? str_from(text, (size_t)middle + 2) : STR_NONE;
	int end = str_find(address, STR(")"));

	if (middle <= 1 || end <= 0) return 0;
	words_put(p, style, indent, str_make(text.at + 1, (size_t)middle - 1));
	words_put(p, STYLE_SOFT, indent, STR(" ("));
	word_put(p, STYLE_SOFT, indent, str_first(address, (size_t)end));
	words_put(p, STYLE_SOFT, indent, STR(")"));
	return (size_t)middle + 2 + (size_t)end + 1;
}

static void line_put(struct page *p, enum style style, size_t indent, struct str line)
{
	static const struct {
		const char *mark;
		enum style style;
	} spans[] = { { "`", STYLE_ACCENT }, { "**", STYLE_BOLD }, { "__", STYLE_BOLD },
		{ "*", STYLE_BOLD }, { "_", STYLE_BOLD } };
	size_t from = 0, at = 0;

	while (at < line.len) {
		struct str rest = str_from(line, at), inner = STR_NONE;
		size_t took = 0, i;

		for (i = 0; i < sizeof spans / sizeof *spans && inner.len == 0; i++)
			inner = between(
				rest, spans[i].mark, at > 0 ? line.at[at - 1] : ' ');
		if (inner.len == 0 && line.at[at] != '[') {
			at++;
			continue;
		}
		words_put(p, style, indent, str_make(line.at + from, at - from));
		from = at;
		if (inner.len > 0) {
			words_put(p, spans[i - 1].style, indent, inner);
			took = inner.len + 2 * str_of(spans[i - 1].mark).len;
		} else
			took = link_put(p, style, indent, rest);
		at += took > 0 ? took : 1;
		if (took > 0) from = at;
	}
	words_put(p, style, indent, str_from(line, from));
}

/* "## Title" → 3, "Title" → 0: how much of the line are the marks of a heading. */
static size_t heading_marks(struct str line)
{
	size_t n = 0;

	while (n < line.len && line.at[n] == '#')
		n++;
	return n > 0 && n <= 6 && n < line.len && line.at[n] == ' ' ? n + 1 : 0;
}

static void text_line(struct page *p, size_t indent, struct str line)
{
	size_t blanks = 0, marks;
	struct str text;

	while (blanks < line.len && line.at[blanks] == ' ')
		blanks++;
	text = str_from(line, blanks);
	marks = heading_marks(text);
	if (blanks > p->width / 2) blanks = p->width / 2;
	row_begin(p, indent + blanks);
	if (marks > 0) {
		line_put(p, STYLE_BOLD, indent, str_from(text, marks));
	} else if (str_starts(text, "- ") || str_starts(text, "* ") ||
		   str_starts(text, "+ ")) {
		page_add_text(p, STYLE_SOFT, "• ");
		line_put(p, STYLE_PLAIN, indent + blanks + 2, str_from(text, 2));
	} else if (str_starts(text, "> ")) {
		page_add_text(p, STYLE_SOFT, "│ ");
		line_put(p, STYLE_SOFT, indent + blanks + 2, str_from(text, 2));
	} else
		line_put(p, STYLE_PLAIN, indent + blanks, text);
}

void markdown_write(struct page *p, size_t indent, struct str foreign)
{
	struct buf safe = { 0 };
	struct str rest, line;
	bool code = false;

	safe_block_add(&safe, foreign);
	rest = buf_str(&safe);
	while (str_cut(&rest, '\n', &line)) {
		if (str_starts(line, "```"))
			code = !code;
		else if (code)
			page_block(p, STYLE_ACCENT, indent + 2, line);
		else
			text_line(p, indent, line);
	}
	p->failed |= safe.failed;
	buf_done(&safe);
}
