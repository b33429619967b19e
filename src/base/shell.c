/* shell.c - quotes words for a shell. */
#include "base/shell.h"

static bool plain(struct str word)
{
	for (size_t i = 0; i < word.len; i++) {
		char ch = word.at[i];
		bool letter = (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z') ||
			      (ch >= '0' && ch <= '9');

		if (!letter && !strchr("-_./:=,+@%", ch)) return false;
	}
	return word.len > 0;
}

void shell_word_add(struct buf *out, struct str word)
{
	if (out->len > 0) buf_add_char(out, ' ');
	if (plain(word)) {
		buf_add(out, word);
		return;
	}
	buf_add_char(out, '\'');
	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] == '\'')
			buf_add_text(out, "'\\''");
		else
			buf_add_char(out, word.at[i]);
	buf_add_char(out, '\'');
}
