/* mail_write.c - writes messages: folded headers, encoded words, quoted-printable parts. */
#include "channel/mail/mail_write.h"

#include <stdio.h>
#include <time.h>

#include "base/hash.h"
#include "base/utf8.h"

enum { LINE_MAX_LEN = 76, WORD_BYTES = 42 };

/* ---- headers ---- */

static bool printable(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if (s.at[i] < ' ' || s.at[i] > '~') return false;
	return true;
}

/* Blank-separated words, a new line before one that would not fit. */
static void folded_add(struct buf *out, struct str value, size_t column)
{
	struct str word;
	bool first = true;

	while (str_cut(&value, ' ', &word)) {
		if (!word.len) continue;
		if (!first) {
			bool fits = column + 1 + word.len <= LINE_MAX_LEN;

			buf_add_text(out, fits ? " " : "\r\n ");
			column = fits ? column + 1 : 1;
		}
		buf_add(out, word);
		column += word.len;
		first = false;
	}
}

/* =?UTF-8?B?…?=, none of them cut inside a character; the blank between two is not shown. */
static void encoded_add(struct buf *out, struct str value)
{
	bool first = true;

	while (value.len) {
		size_t n = value.len < WORD_BYTES ? value.len : WORD_BYTES;

		while (n < value.len && n > 1 &&
			((unsigned char)value.at[n] & 0xc0) == 0x80)
			n--;
		if (!first) buf_add_text(out, "\r\n ");
		buf_add_text(out, "=?UTF-8?B?");
		base64_write(out, str_first(value, n));
		buf_add_text(out, "?=");
		value = str_from(value, n);
		first = false;
	}
}

/* Encoded words hold any byte, and a reader shows it: control bytes are blanks. */
static struct str harmless(struct str value, struct buf *kept)
{
	while (value.len) {
		struct str was = value;
		int32_t point = utf8_next(&value);

		if (point < ' ' || (point >= 0x7f && point < 0xa0))
			buf_add_char(kept, ' ');
		else if (point == 0xfffd)
			buf_add_text(kept, "\xef\xbf\xbd");
		else
			buf_add(kept, str_first(was, was.len - value.len));
	}
	return buf_str(kept);
}

static bool has_long_word(struct str value)
{
	struct str word;

	while (str_cut(&value, ' ', &word))
		if (word.len > LINE_MAX_LEN - 20) return true;
	return false;
}

static void header_add(struct buf *out, const struct mail_header *h)
{
	struct buf kept = { .max = 1 << 16 };
	struct str value = harmless(h->value, &kept);

	if (kept.failed) out->failed = true;
	if (value.len) {
		buf_add_text(out, h->name);
		buf_add_text(out, ": ");
		if (h->words && (!printable(value) || str_find(value, STR("=?")) >= 0 ||
					has_long_word(value)))
			encoded_add(out, value);
		else if (printable(value))
			folded_add(out, value, strlen(h->name) + 2);
		buf_add_text(out, "\r\n");
	}
	buf_done(&kept);
}

/* ---- parts ---- */

static void printable_line(struct buf *out, struct str line)
{
	size_t column = 0;

	for (size_t i = 0; i < line.len; i++) {
		unsigned char c = (unsigned char)line.at[i];
		bool last = i + 1 == line.len;
		bool plain = (c > ' ' && c <= '~' && c != '=') ||
			     ((c == ' ' || c == '\t') && !last);
		/* A lone dot, or "From " at the start of a line, means something to some. */
		bool special = column == 0 && (c == '.' || c == 'F');

		if (column + (plain ? 1 : 3) > LINE_MAX_LEN - 1) {
			buf_add_text(out, "=\r\n");
			column = 0;
			special = c == '.' || c == 'F';
		}
		if (plain && !special) {
			buf_add_char(out, (char)c);
			column++;
		} else {
			buf_print(out, "=%02X", c);
			column += 3;
		}
	}
	buf_add_text(out, "\r\n");
}

static void part_add(
	struct buf *out, struct str boundary, const char *type, struct str text)
{
	struct str line;

	buf_print(out,
		"--%.*s\r\nContent-Type: %s; charset=utf-8\r\n"
		"Content-Transfer-Encoding: quoted-printable\r\n\r\n",
		STR_ARGS(boundary), type);
	while (str_cut(&text, '\n', &line))
		printable_line(out, line);
}

void mail_write(struct buf *out, const struct mail_message *m)
{
	for (size_t i = 0; i < m->headers_len; i++)
		header_add(out, &m->headers[i]);
	buf_print(out,
		"MIME-Version: 1.0\r\n"
		"Content-Type: multipart/alternative; boundary=\"%.*s\"\r\n\r\n",
		STR_ARGS(m->boundary));
	part_add(out, m->boundary, "text/plain", m->text);
	part_add(out, m->boundary, "text/html", m->html);
	buf_print(out, "--%.*s--\r\n", STR_ARGS(m->boundary));
}

void mail_date(int64_t ms, char out[MAIL_DATE_SIZE])
{
	static const char days[] = "SunMonTueWedThuFriSat";
	static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
	time_t at = (time_t)(ms / 1000);
	struct tm t;

	gmtime_r(&at, &t);
	snprintf(out, MAIL_DATE_SIZE, "%.3s, %02d %.3s %d %02d:%02d:%02d +0000",
		days + 3 * t.tm_wday, t.tm_mday % 100, months + 3 * t.tm_mon,
		(t.tm_year + 1900) % 10000, t.tm_hour % 100, t.tm_min % 100,
		t.tm_sec % 100);
}
