/* shell_text.c - words and quotes of a shell's language. */
#include "core/policy/command_line.h"

#include "base/utf8.h"

/* Words that a command may follow. */
static const struct str introducing[] = { STR("!"), STR("coproc"), STR("do"), STR("elif"),
	STR("else"), STR("if"), STR("then"), STR("time"), STR("until"), STR("while"),
	STR("{") };

/* Programs that run a command which they are given. */
static const struct str running[] = { STR("."), STR("ash"), STR("bash"), STR("builtin"),
	STR("busybox"), STR("chroot"), STR("chrt"), STR("command"), STR("dash"),
	STR("doas"), STR("env"), STR("eval"), STR("exec"), STR("fakeroot"), STR("find"),
	STR("fish"), STR("flock"), STR("ionice"), STR("ksh"), STR("nice"), STR("nohup"),
	STR("nsenter"), STR("parallel"), STR("pkexec"), STR("proot"), STR("runuser"),
	STR("script"), STR("setarch"), STR("setpriv"), STR("setsid"), STR("sh"),
	STR("source"), STR("ssh"), STR("stdbuf"), STR("strace"), STR("su"), STR("sudo"),
	STR("systemd-run"), STR("taskset"), STR("time"), STR("timeout"), STR("toybox"),
	STR("trap"), STR("unbuffer"), STR("unshare"), STR("watch"), STR("xargs"),
	STR("zsh") };

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

static bool is_among(struct str word, const struct str *list, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (str_eq(word, list[i])) return true;
	return false;
}

struct str shell_first_word(struct str s)
{
	size_t len = 0;

	while (len < s.len && !is_blank(s.at[len]))
		len++;
	return str_first(s, len);
}

struct str shell_file_name(struct str s)
{
	size_t start = s.len;

	while (start > 0 && s.at[start - 1] != '/')
		start--;
	return str_from(s, start);
}

static bool is_assignment(struct str word)
{
	size_t i = 0;

	for (; i < word.len; i++) {
		char c = word.at[i];
		bool letter =
			(c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';

		if (!letter && !(i > 0 && c >= '0' && c <= '9')) break;
	}
	return i > 0 && i < word.len &&
	       (word.at[i] == '=' || word.at[i] == '[' ||
		       str_starts(str_from(word, i), "+="));
}

struct str shell_skip_words(struct str s, bool *assigned)
{
	*assigned = false;
	for (s = str_trim(s); s.len > 0;) {
		struct str word = shell_first_word(s);
		bool assigns = is_assignment(word);

		if (!assigns && !is_among(word, introducing,
					sizeof introducing / sizeof *introducing))
			break;
		*assigned |= assigns;
		s = str_trim(str_from(s, word.len));
	}
	return s;
}

bool shell_runs_words(struct str s)
{
	struct str file = shell_file_name(shell_first_word(s));

	return is_among(file, running, sizeof running / sizeof *running);
}

bool shell_has_groups(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		switch (s.at[i]) {
		case '\'':
		case '"':
		case '\\':
		case '(':
		case ')':
		case '{':
		case '}':
		case '`': return true;
		default: break;
		}
	return false;
}

/* ---- writing it anew ---- */

/* Never longer than what it was made from. */
struct rewrite {
	char *out;
	size_t len;
};

static void rewrite_add(struct rewrite *w, char c)
{
	if (is_blank(c)) {
		if (w->len == 0 || w->out[w->len - 1] == ' ') return;
		c = ' ';
	}
	w->out[w->len++] = c;
}

static struct str rewrite_end(struct rewrite *w)
{
	if (w->len > 0 && w->out[w->len - 1] == ' ') w->len--;
	return w->len ? str_make(w->out, w->len) : STR_NONE;
}

struct str shell_without(struct str s, const char *set, struct arena *arena)
{
	struct rewrite w = { 0 };
	bool any = false;

	for (size_t i = 0; i < s.len && !any; i++)
		any = s.at[i] && strchr(set, s.at[i]);
	if (!any) return STR_NONE;
	w.out = arena_alloc(arena, s.len + 1);
	for (size_t i = 0; w.out && i < s.len; i++)
		rewrite_add(&w, s.at[i] && strchr(set, s.at[i]) ? ' ' : s.at[i]);
	return rewrite_end(&w);
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
static void escape_add(struct rewrite *w, struct str s, size_t *i)
{
	char utf8[4], c = s.at[*i];
	uint32_t code;

	if (c >= '0' && c <= '7') {
		--*i;
		rewrite_add(w, (char)number(s, i, 8, 3));
	} else if (c == 'x') {
		rewrite_add(w, (char)number(s, i, 16, 2));
	} else if (c == 'u' || c == 'U') {
		code = number(s, i, 16, c == 'u' ? 4 : 8);
		for (size_t n = utf8_put(utf8, code), at = 0; at < n; at++)
			rewrite_add(w, utf8[at]);
	} else {
		rewrite_add(w, strchr("abefnrtv", c) ? ' ' : c);
	}
}

/* From behind the opening quote; where the closing one is. */
static size_t escapes_add(struct rewrite *w, struct str s, size_t i)
{
	for (; i < s.len && s.at[i] != '\''; i++) {
		if (s.at[i] == '\\' && i + 1 < s.len) {
			i++;
			escape_add(w, s, &i);
		} else {
			rewrite_add(w, s.at[i]);
		}
	}
	return i;
}

static bool is_plain(struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (c == '\'' || c == '"' || c == '\\' || c == '$') return false;
		if (is_blank(c) &&
			(c != ' ' || i == 0 || i + 1 == s.len || s.at[i - 1] == ' '))
			return false;
	}
	return true;
}

/* What begins with the $ at `i`; where it ends. */
static size_t dollar_add(struct rewrite *w, struct str s, size_t i)
{
	struct str rest = str_from(s, i);

	if (str_starts(rest, "$'")) return escapes_add(w, s, i + 2);
	if (str_starts(rest, "$\"")) return i;
	if (str_starts(rest, "${IFS}") || str_starts(rest, "$IFS")) {
		rewrite_add(w, ' ');
		return i + (rest.at[1] == '{' ? strlen("{IFS}") : strlen("IFS"));
	}
	rewrite_add(w, '$');
	return i;
}

struct str shell_plain(struct str s, struct arena *arena)
{
	struct rewrite w = { 0 };

	if (is_plain(s)) return s;
	w.out = arena_alloc(arena, s.len + 1);
	for (size_t i = 0; w.out && i < s.len; i++) {
		char c = s.at[i];

		if (c == '$')
			i = dollar_add(&w, s, i);
		else if (c != '\'' && c != '"' && c != '\\')
			rewrite_add(&w, c);
	}
	return rewrite_end(&w);
}

struct str shell_join_lines(struct str s, struct arena *arena)
{
	struct rewrite w = { 0 };

	if (str_find(s, STR("\\\n")) < 0 && str_find(s, STR("\\\r\n")) < 0) return s;
	w.out = arena_alloc(arena, s.len + 1);
	for (size_t i = 0; w.out && i < s.len; i++) {
		if (str_starts(str_from(s, i), "\\\n"))
			i += 1;
		else if (str_starts(str_from(s, i), "\\\r\n"))
			i += 2;
		else
			w.out[w.len++] = s.at[i];
	}
	return str_make(w.out, w.len);
}
