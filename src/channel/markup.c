/* markup.c - characters that mean something in markup, escaped. */
#include "channel/markup.h"

static void character_add(struct buf *out, char c)
{
	switch (c) {
	case '&': buf_add_text(out, "&amp;"); break;
	case '<': buf_add_text(out, "&lt;"); break;
	case '>': buf_add_text(out, "&gt;"); break;
	default: buf_add_char(out, c);
	}
}

void markup_escape(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++)
		character_add(out, text.at[i]);
}

void markup_html(struct buf *out, struct str text)
{
	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (c == '"')
			buf_add_text(out, "&quot;");
		else if (c == '\n' || c == '\t' || ((unsigned char)c >= ' ' && c != 0x7f))
			character_add(out, c);
	}
}
