/* format.c - checks a text against the `format` of its question. */
#include "base/clock.h"
#include "core/ask/reply.h"
#include "core/shared/body.h"

#include <stdio.h>

static const char *const format_names[] = {
	[FORMAT_EMAIL] = "email",
	[FORMAT_URI] = "uri",
	[FORMAT_DATE] = "date",
	[FORMAT_DATE_TIME] = "date-time",
};

ENUM_NAMES(text_format, format_names)

enum { EMAIL_MAX = 254 };

static bool has_blank(struct str s)
{
	for (size_t i = 0; i < s.len; i++)
		if ((unsigned char)s.at[i] <= ' ' || s.at[i] == 0x7f) return true;
	return false;
}

/* Something, one @, and a domain of at least two labels: only a letter sent there proves
 * more. */
static bool email_fits(struct str s)
{
	struct str rest = s, local, label;
	size_t labels = 0;

	if (s.len > EMAIL_MAX || has_blank(s) || str_ends(s, ".")) return false;
	if (!memchr(s.at, '@', s.len) || !str_cut(&rest, '@', &local) || !local.len)
		return false;
	if (!rest.len || memchr(rest.at, '@', rest.len)) return false;
	for (; str_cut(&rest, '.', &label); labels++)
		if (!label.len) return false;
	return labels >= 2;
}

static bool letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* A scheme, a colon, and something behind it. */
static bool uri_fits(struct str s)
{
	size_t i = 0;

	if (!s.len || !letter(s.at[0]) || has_blank(s)) return false;
	while (i < s.len && (letter(s.at[i]) || (i && strchr("0123456789+-.", s.at[i]))))
		i++;
	return i < s.len && s.at[i] == ':' && i + 1 < s.len;
}

static bool date_fits(struct str s)
{
	char whole[32];
	int64_t ms;

	if (s.len != strlen("2026-11-15")) return false;
	int n = snprintf(whole, sizeof whole, "%.*sT00:00:00Z", STR_ARGS(s));
	return time_read(str_make(whole, (size_t)n), &ms);
}

bool format_fits(enum text_format f, struct str s)
{
	int64_t ms;

	switch (f) {
	case FORMAT_NONE: return true;
	case FORMAT_EMAIL: return email_fits(s);
	case FORMAT_URI: return uri_fits(s);
	case FORMAT_DATE: return date_fits(s);
	case FORMAT_DATE_TIME: return time_read(s, &ms);
	}
	return false;
}
