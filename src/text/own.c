/* own.c - translates the texts that Parley itself writes into an ask. */
#include "text/own.h"

#include "text/problem_words.h"

struct str own_words(struct str key, struct str text, enum lang lang, struct arena *arena)
{
	if (str_is(key, "decision"))
		return sentence_words("web.own.approve", text, lang, arena);
	if (str_is(key, "recovery"))
		return sentence_words("web.own.recovery", text, lang, arena);
	return text;
}
