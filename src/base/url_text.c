/* url_text.c - what an address is written with, and where it leads. */
#include "base/url_text.h"

void url_add(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char ch = (unsigned char)text.at[i];

		if ((ch >= '0' && ch <= '9') || (ch >= 'A' && ch <= 'Z') ||
			(ch >= 'a' && ch <= 'z') || (ch && strchr("-._~", ch)))
			buf_add_char(out, (char)ch);
		else
			buf_print(out, "%%%02X", ch);
	}
}

struct str url_origin(struct str url)
{
	size_t at = str_starts(url, "http://") ? 7 : str_starts(url, "https://") ? 8 : 0;
	size_t end = at;

	if (at == 0) return STR_NONE;
	while (end < url.len && !strchr("/?#", url.at[end]))
		end++;
	return end == at ? STR_NONE : str_first(url, end);
}
