/* lang.h - the languages that people are spoken to in. */
#ifndef TEXT_LANG_H
#define TEXT_LANG_H

enum lang { LANG_EN, LANG_FR, LANGS };

#endif
