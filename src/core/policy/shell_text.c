/* shell_text.c - quotes, escapes and blanks of a shell's language. */
#include "core/policy/shell_text.h"

#include "base/utf8.h"

static struct str text_end(struct shell_text *t)
{
	if (t->len > 0 && t->last == ' ') t->len--;
	return t->out && t->len ? str_make(t->out, t->len) : STR_NONE;
}

static int digit(char c, int base)
{
	int value = c >= '0' && c <= '9'   ? c - '0'
		    : c >= 'a' && c <= 'f' ? c - 'a' + 10
		    : c >= 'A' && c <= 'F' ? c - 'A' + 10
					   : 99;

	return value < base ? value : -1;
}

/* The number at *i of at most `max` digits; *i goes to its last one. */
static uint32_t number(struct str s, size_t *i, int base, int max)
{
	uint32_t value = 0;
	int n = 0;

	while (n < max && *i + 1 < s.len && digit(s.at[*i + 1], base) >= 0) {
		value = value * (uint32_t)base + (uint32_t)digit(s.at[++*i], base);
		n++;
	}
	return value;
}

/* The escape whose letter stands at *i, in $'…'; *i goes to its last byte. */
static void escape_add(struct shell_text *t, struct str s, size_t *i)
{
	char utf8[4], c = s.at[*i];
	uint32_t code;

	if (c >= '0' && c <= '7') {
		--*i;
		shell_text_add(t, (char)number(s, i, 8, 3));
	} else if (c == 'x') {
		shell_text_add(t, (char)number(s, i, 16, 2));
	} else if (c == 'u' || c == 'U') {
		code = number(s, i, 16, c == 'u' ? 4 : 8);
		for (size_t n = utf8_put(utf8, code), at = 0; at < n; at++)
			shell_text_add(t, utf8[at]);
	} else {
		shell_text_add(t, strchr("abefnrtv", c) ? ' ' : c);
	}
}

size_t shell_escapes_add(struct shell_text *t, struct str s, size_t i)
{
	for (; i < s.len && s.at[i] != '\''; i++) {
		if (s.at[i] == '\\' && i + 1 < s.len) {
			i++;
			escape_add(t, s, &i);
		} else {
			shell_text_add(t, s.at[i]);
		}
	}
	return i;
}

size_t shell_ifs_add(struct shell_text *t, struct str s, size_t i)
{
	struct str rest = str_from(s, i);
	size_t len = str_starts(rest, "${IFS}") ? strlen("${IFS}")
		     : str_starts(rest, "$IFS") ? strlen("$IFS")
						: 0;

	if (len) shell_text_add(t, ' ');
	return len;
}

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (c == '\'' || c == '"' || c == '\\' || c == '$') return false;
		if (shell_is_blank(c) &&
			(c != ' ' || i == 0 || i + 1 == s.len || s.at[i - 1] == ' '))
			return false;
	}
	return true;
}

/* What begins with the $ at `i`; where it ends. */
static size_t dollar_add(struct shell_text *t, struct str s, size_t i)
{
	struct str rest = str_from(s, i);
	size_t ifs = shell_ifs_add(t, s, i);

	if (ifs) return i + ifs - 1;
	if (str_starts(rest, "$'")) return shell_escapes_add(t, s, i + 2);
	if (!str_starts(rest, "$\"")) shell_text_add(t, '$');
	return i;
}

static size_t line_end_len(struct str s)
{
	return str_starts(s, "\n") ? 1 : str_starts(s, "\r\n") ? 2 : 0;
}

struct str shell_plain(struct str s, struct arena *arena)
{
	struct shell_text t = { 0 };

	if (is_plain(s)) return s;
	t.out = arena_alloc(arena, s.len + 1);
	for (size_t i = 0; t.out && i < s.len; i++) {
		char c = s.at[i];

		if (c == '$')
			i = dollar_add(&t, s, i);
		else if (c == '\\')
			i += line_end_len(str_from(s, i + 1));
		else if (c != '\'' && c != '"')
			shell_text_add(&t, c);
	}
	return text_end(&t);
}

struct str shell_joined(struct str s, bool comments_end, struct arena *arena)
{
	struct shell_text t = { .exact = true };
	bool comment = false;

	if (str_find(s, STR("\\\n")) < 0) return s;
	t.out = arena_alloc(arena, s.len + 1);
	for (size_t i = 0; t.out && i < s.len; i++) {
		char c = s.at[i];

		if (c == '#' && (i == 0 || strchr(" \t\n;&|()", s.at[i - 1])))
			comment = comments_end;
		if (c != '\\' || comment || i + 1 == s.len) {
			shell_text_add(&t, c);
		} else if (s.at[++i] != '\n') { /* one that is escaped joins nothing */
			shell_text_add(&t, c);
			shell_text_add(&t, s.at[i]);
		}
		if (c == '\n') comment = false;
	}
	return t.out ? str_make(t.out, t.len) : STR_NONE;
}

struct str shell_braces(struct str s, struct arena *arena)
{
	struct shell_text t = { .out = arena_alloc(arena, s.len + 1) };

	for (size_t i = 0; t.out && i < s.len; i++)
		shell_text_add(&t, s.at[i] && strchr("{,}", s.at[i]) ? ' ' : s.at[i]);
	return text_end(&t);
}
