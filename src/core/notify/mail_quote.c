/* mail_quote.c - where the quote of a reply begins. */
#include "core/notify/mail_reply.h"

enum { LOOK_AHEAD = 4 };

/* Blanks of all kinds around a line: French puts narrow ones before a colon. */
static struct str line_trim(struct str s)
{
	static const struct str blanks[] = { STR(" "), STR("\t"), STR("\r"),
		STR("\xc2\xa0"), STR("\xe2\x80\xaf"), STR("\xef\xbb\xbf"),
		STR("\xe2\x80\x8b") };
	bool cut = true;

	while (cut) {
		cut = false;
		for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++) {
			struct str b = blanks[i];

			if (s.len >= b.len && str_eq(str_first(s, b.len), b)) {
				s = str_from(s, b.len);
				cut = true;
			}
			if (s.len >= b.len && str_eq(str_from(s, s.len - b.len), b)) {
				s.len -= b.len;
				cut = true;
			}
		}
	}
	return s;
}

/* ASCII case alone; the words below have their accents in lower case. */
static bool starts_nocase(struct str s, const char *prefix)
{
	return str_is_nocase(str_first(s, strlen(prefix)), prefix);
}

static bool ends_nocase(struct str s, const char *suffix)
{
	size_t n = strlen(suffix);

	return s.len >= n && str_is_nocase(str_from(s, s.len - n), suffix);
}

/* Without the colon and what blank stands before it. */
static bool ends_writing(struct str line)
{
	line = line_trim(line);
	if (!line.len || line.at[line.len - 1] != ':') return false;
	line.len--;
	line = line_trim(line);
	return ends_nocase(line, "wrote") || ends_nocase(line, "a \xc3\xa9"
							       "crit");
}

/* "On Mon, 16 Nov 2026, Parley wrote:", often broken over several lines. */
static bool opens_writing(struct str line, struct str rest)
{
	if (!starts_nocase(line, "on ") && !starts_nocase(line, "le ")) return false;
	for (int i = 0; i < LOOK_AHEAD; i++) {
		if (ends_writing(line)) return true;
		if (!str_cut(&rest, '\n', &line) || !line_trim(line).len) return false;
	}
	return false;
}

/* "From: …" with "Sent: …" soon after, as Outlook has it; bold in some. */
static bool opens_head(struct str line, struct str rest)
{
	static const char *const first[] = { "from:", "*from:*", "de :", "de:", "*de :*",
		"de\xc2\xa0:" };
	static const char *const next[] = { "sent:", "*sent:*",
		"date:", "date :", "to:", "subject:", "envoy\xc3\xa9 :", "envoy\xc3\xa9:",
		"envoy\xc3\xa9\xc2\xa0:", "*envoy\xc3\xa9 :*", "\xc3\x80 :",
		"\xc3\x80\xc2\xa0:", "objet :", "objet\xc2\xa0:", "date\xc2\xa0:" };
	bool opens = false;

	for (size_t i = 0; i < sizeof first / sizeof *first; i++)
		opens |= starts_nocase(line, first[i]);
	for (int n = 0; opens && n < LOOK_AHEAD && str_cut(&rest, '\n', &line); n++) {
		line = line_trim(line);
		for (size_t i = 0; i < sizeof next / sizeof *next; i++)
			if (starts_nocase(line, next[i])) return true;
	}
	return false;
}

static bool is_rule(struct str line)
{
	size_t lines = 0;

	while (lines < line.len && line.at[lines] == '_')
		lines++;
	if (lines >= 10 && lines == line.len) return true;
	/* -----Original Message----- */
	return line.len > 12 && str_starts(line, "-----") && str_ends(line, "-----");
}

static bool is_signature(struct str line)
{
	static const char *const starts[] = { "sent from my ", "sent from outlook",
		"get outlook for ", "envoyé de mon ", "envoyé depuis ",
		"envoyé à partir de ", "télécharger outlook", "obtenir outlook",
		"obtenez outlook" };

	for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
		if (starts_nocase(line, starts[i])) return true;
	return false;
}

static bool ends_reply(struct str whole, struct str rest, bool first)
{
	struct str line = line_trim(whole);

	if (!line.len) return false;
	return line.at[0] == '>' || str_find(line, STR(MAIL_RULE)) >= 0 ||
	       str_is(line, "--") || is_rule(line) || opens_writing(line, rest) ||
	       opens_head(line, rest) || (!first && is_signature(line));
}

struct str mail_reply_text(struct str text)
{
	struct str rest = text, line;
	const char *start = NULL, *end = text.at;

	while (str_cut(&rest, '\n', &line)) {
		struct str shown = line_trim(line);

		if (ends_reply(line, rest, !start)) break;
		if (!shown.len) continue;
		if (!start) start = shown.at;
		end = shown.at + shown.len;
	}
	return start ? str_make(start, (size_t)(end - start)) : STR_NONE;
}
