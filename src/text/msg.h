/* msg.h - texts for people, in their language, from the one catalogue (messages/). */
#ifndef TEXT_MSG_H
#define TEXT_MSG_H

#include "base/arena.h"
#include "base/fault.h"
#include "text/lang.h"

struct message {
	const char *id;
	const char *text[LANGS];
};
extern const struct message messages[]; /* sorted by id; generated at build time */
extern const size_t messages_len;

void msg_lang_set(enum lang);
enum lang msg_lang(void);
/* From LC_ALL, LC_MESSAGES or LANG, whichever says something first; English otherwise. */
enum lang msg_lang_guess(void);

const char *msg_text(const char *id); /* with its placeholders; NULL: no such text */
const char *msg_text_in(const char *id, enum lang);

struct msg_arg {
	const char *name; /* fills {name} */
	struct str value;
};
/* `args` end with one without a name. Values are made safe for a terminal, on one line.
 * An unknown id is its own text. The result is NUL-terminated; empty when out of
 * memory. */
struct str msg_fill(struct arena *, const char *id, const struct msg_arg *args);
#define MSG(arena, id, ...)                                                              \
	msg_fill((arena), (id),                                                          \
		(const struct msg_arg[]){ __VA_ARGS__ __VA_OPT__(, ){ 0 } })
/* Fails with it: ERR_INVALID. */
#define FAIL_MSG(why, arena, id, ...)                                                    \
	fail((why), ERR_INVALID, "%s", MSG((arena), (id)__VA_OPT__(, ) __VA_ARGS__).at)
/* The same in this language. */
struct str msg_fill_in(
	struct arena *, enum lang, const char *id, const struct msg_arg *args);
#define MSG_IN(arena, lang, id, ...)                                                     \
	msg_fill_in((arena), (lang), (id),                                               \
		(const struct msg_arg[]){ __VA_ARGS__ __VA_OPT__(, ){ 0 } })
/* The text id.one or id.other, whichever fits n in this language; {n} is filled. */
struct str msg_count(struct arena *, const char *id, int64_t n);
struct str msg_count_in(struct arena *, enum lang, const char *id, int64_t n);
/* The text id.name: a word of the API in the reader's language. */
struct str msg_named(struct arena *, const char *id, struct str name);

/* One line on stderr. */
void say_fill(const char *id, const struct msg_arg *args);
#define SAY(id, ...)                                                                     \
	say_fill((id), (const struct msg_arg[]){ __VA_ARGS__ __VA_OPT__(, ){ 0 } })

#endif
