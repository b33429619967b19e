/* lang.h - the languages that people are spoken to in. */
#ifndef TEXT_LANG_H
#define TEXT_LANG_H

#include "base/str.h"

enum lang { LANG_EN, LANG_FR, LANGS };

static inline const char *lang_code(enum lang lang)
{
	return lang == LANG_FR ? "fr" : "en";
}

/* Of a person who may have chosen one. */
static inline enum lang lang_chosen(struct str code, enum lang otherwise)
{
	return str_is(code, "fr") ? LANG_FR : str_is(code, "en") ? LANG_EN : otherwise;
}

#endif
