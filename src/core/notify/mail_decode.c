/* mail_decode.c - header values, addresses, transfer encodings and charsets. */
#include "core/notify/mail_decode.h"

#include <errno.h>
#include <iconv.h>

#include "base/hash.h"
#include "base/keep.h"
#include "base/utf8.h"
#include "core/shared/body.h"

enum { VALUE_MAX = 64 * 1024 };

/* ---- header values ---- */

enum quoting { QUOTED_KEPT, QUOTED_DROPPED };

/* Comments nest; a backslash takes the next byte along. */
static size_t comment_skip(struct str s, size_t i)
{
	int depth = 0;

	for (; i < s.len; i++) {
		if (s.at[i] == '\\')
			i++;
		else if (s.at[i] == '(')
			depth++;
		else if (s.at[i] == ')' && --depth == 0)
			return i;
	}
	return s.len;
}

static size_t quoted_add(struct buf *out, struct str s, size_t i, enum quoting quoting)
{
	for (i++; i < s.len && s.at[i] != '"'; i++) {
		if (s.at[i] == '\\' && i + 1 < s.len) i++;
		if (quoting == QUOTED_KEPT)
			buf_add_char(
				out, s.at[i] == ';' || s.at[i] == '\r' || s.at[i] == '\n'
					     ? '_'
					     : s.at[i]);
	}
	return i;
}

static struct str value_clean(struct str s, enum quoting quoting, struct arena *arena)
{
	struct buf out = { .max = VALUE_MAX };

	for (size_t i = 0; i < s.len; i++) {
		char c = s.at[i];

		if (c == '"')
			i = quoted_add(&out, s, i, quoting);
		else if (c == '(')
			i = comment_skip(s, i);
		else
			buf_add_char(&out, (unsigned char)c < ' ' ? ' ' : c);
	}
	return buf_keep_done(&out, arena);
}

struct str mail_plain_value(struct str s, struct arena *arena)
{
	return s.len ? value_clean(str_first(s, VALUE_MAX), QUOTED_KEPT, arena)
		     : STR_NONE;
}

struct str mail_results_value(struct str s, struct arena *arena)
{
	struct str plain = value_clean(str_first(s, VALUE_MAX), QUOTED_DROPPED, arena);
	struct buf out = { .max = VALUE_MAX };

	for (size_t i = 0; i < plain.len; i++) {
		bool blank = plain.at[i] == ' ';

		if (blank && i + 1 < plain.len && strchr(" =", plain.at[i + 1])) continue;
		if (blank && out.len && out.at[out.len - 1] == '=') continue;
		buf_add_char(&out, plain.at[i]);
	}
	return buf_keep_done(&out, arena);
}

/* ---- addresses ---- */

/* One mailbox, comments gone: what stands in <>, or all of it. */
static struct str mailbox_address(struct str box)
{
	int open = str_find(box, STR("<"));

	if (open >= 0) {
		struct str inside = str_from(box, (size_t)open + 1);
		int shut = str_find(inside, STR(">"));

		if (shut < 0 || str_trim(str_from(inside, (size_t)shut + 1)).len)
			return STR_NONE;
		box = str_first(inside, (size_t)shut);
	}
	box = str_trim(box);
	for (size_t i = 0; i < box.len; i++)
		if ((unsigned char)box.at[i] <= ' ' || strchr(":;,()<>\"[]\\", box.at[i]))
			return STR_NONE;
	return str_find(box, STR("@")) > 0 ? box : STR_NONE;
}

size_t mail_addresses(struct str value, struct arena *arena, struct str *out, size_t max)
{
	struct str plain = value_clean(
			   str_first(value, VALUE_MAX), QUOTED_DROPPED, arena),
		   box;
	size_t len = 0;

	while (str_cut(&plain, ',', &box)) {
		struct str address;

		if (!str_trim(box).len) continue;
		address = mailbox_address(box);
		if (!address.len || len == max) return 0;
		out[len++] = address;
	}
	return len;
}

/* ---- transfer encodings ---- */

static void printable_decode(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.len; i++) {
		size_t end = i + 1;

		if (s.at[i] != '=') {
			buf_add_char(out, s.at[i]);
			continue;
		}
		/* A soft line break: the line continues, and blanks before the break are
		 * dropped. */
		while (end < s.len && strchr(" \t\r", s.at[end]) && s.at[end])
			end++;
		if (end >= s.len || s.at[end] == '\n') {
			i = end;
		} else if (i + 2 < s.len && hex_digit(s.at[i + 1]) >= 0 &&
			   hex_digit(s.at[i + 2]) >= 0) {
			buf_add_char(out, (char)(hex_digit(s.at[i + 1]) << 4 |
						  hex_digit(s.at[i + 2])));
			i += 2;
		} else {
			buf_add_char(out, '=');
		}
	}
}

static int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z') return c - 'A';
	if (c >= 'a' && c <= 'z') return c - 'a' + 26;
	if (c >= '0' && c <= '9') return c - '0' + 52;
	if (c == '+') return 62;
	return c == '/' ? 63 : -1;
}

/* Whatever is no digit is passed over, as RFC 2045 wants it. */
static void base64_decode(struct buf *out, struct str s)
{
	unsigned bits = 0;
	int held = 0;

	for (size_t i = 0; i < s.len && s.at[i] != '='; i++) {
		int digit = base64_digit(s.at[i]);

		if (digit < 0) continue;
		bits = (bits << 6 | (unsigned)digit) & 0xffffff;
		held += 6;
		if (held < 8) continue;
		held -= 8;
		buf_add_char(out, (char)(bits >> held & 0xff));
	}
}

/* ---- charsets ---- */

/* What mail is written in, and no more. */
static const char *charset_known(struct str name)
{
	static const char *const known[] = { "ISO-8859-1", "ISO-8859-2", "ISO-8859-3",
		"ISO-8859-4", "ISO-8859-5", "ISO-8859-6", "ISO-8859-7", "ISO-8859-8",
		"ISO-8859-9", "ISO-8859-10", "ISO-8859-13", "ISO-8859-14", "ISO-8859-15",
		"ISO-8859-16", "WINDOWS-1250", "WINDOWS-1251", "WINDOWS-1252",
		"WINDOWS-1253", "WINDOWS-1254", "WINDOWS-1255", "WINDOWS-1256",
		"WINDOWS-1257", "WINDOWS-1258", "KOI8-R", "KOI8-U", "MACINTOSH",
		"ISO-2022-JP", "SHIFT_JIS", "EUC-JP", "GB2312", "GBK", "GB18030", "BIG5",
		"EUC-KR", "TIS-620" };
	static const char *const latin[] = { "", "US-ASCII", "ASCII", "LATIN1", "CP1252",
		"UTF-8", "UTF8" };

	for (size_t i = 0; i < sizeof known / sizeof *known; i++)
		if (str_is_nocase(name, known[i])) return known[i];
	/* Bytes that are no UTF-8, though it says so, are most likely this. */
	for (size_t i = 0; i < sizeof latin / sizeof *latin; i++)
		if (str_is_nocase(name, latin[i])) return "WINDOWS-1252";
	return NULL;
}

static void utf8_mend(struct buf *out, struct str s)
{
	while (s.len)
		utf8_add(out, (uint32_t)utf8_next(&s));
}

static void charset_decode(struct buf *out, struct str s, struct str charset)
{
	const char *name = charset_known(charset);
	bool says_utf8 =
		str_is_nocase(charset, "utf-8") || str_is_nocase(charset, "utf8");
	bool unsaid = name && strcmp(name, "WINDOWS-1252") == 0 &&
		      !str_is_nocase(charset, "windows-1252");
	char *in = (char *)(uintptr_t)s.at, piece[4096];
	size_t left = s.len;
	iconv_t cd;

	if (!name || says_utf8 || (unsaid && utf8_valid(s))) {
		utf8_mend(out, s);
		return;
	}
	cd = iconv_open("UTF-8", name);
	if (cd == (iconv_t)-1) {
		utf8_mend(out, s);
		return;
	}
	while (left) {
		char *to = piece;
		size_t room = sizeof piece;
		size_t done = iconv(cd, &in, &left, &to, &room);

		buf_add(out, str_make(piece, sizeof piece - room));
		if (done != (size_t)-1 || errno == E2BIG) continue;
		/* One byte that means nothing; or half a letter at the end. */
		utf8_add(out, 0xfffd);
		if (errno == EINVAL || !left) break;
		in++;
		left--;
	}
	iconv_close(cd);
}

struct str mail_decode(
	struct str body, struct str encoding, struct str charset, struct arena *arena)
{
	struct buf bytes = { .max = MAIL_IN_MAX + 1 }, text = { .max = 4 * MAIL_IN_MAX },
		   lines = { .max = 4 * MAIL_IN_MAX };
	struct str all;

	if (str_is_nocase(encoding, "base64"))
		base64_decode(&bytes, body);
	else if (str_is_nocase(encoding, "quoted-printable"))
		printable_decode(&bytes, body);
	else
		buf_add(&bytes, body);
	charset_decode(&text, buf_str(&bytes), charset);
	all = buf_str(&text);
	for (size_t i = 0; i < all.len; i++)
		if (all.at[i] && all.at[i] != '\r') buf_add_char(&lines, all.at[i]);
	if (bytes.failed || text.failed) arena->failed = true;
	buf_done(&bytes);
	buf_done(&text);
	return buf_keep_done(&lines, arena);
}
