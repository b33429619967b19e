/* question.h - one thing that is asked: its type, options and bounds. */
#ifndef CORE_QUESTION_H
#define CORE_QUESTION_H

#include "base/arena.h"
#include "base/fault.h"
#include "base/json.h"

enum question_type {
	Q_TEXT,
	Q_NUMBER,
	Q_BOOLEAN,
	Q_CHOICE,
	Q_CHOICES,
	Q_APPROVAL,
	QUESTION_TYPES
};

enum text_format { FORMAT_NONE, FORMAT_EMAIL, FORMAT_URI, FORMAT_DATE, FORMAT_DATE_TIME };

struct option {
	struct str id; /* unique in its question; the label when none was given */
	struct str label;
};

struct question {
	struct str key; /* unique in the ask; "q1", "q2", … when none was given */
	struct str header;
	struct str text;
	enum question_type type;
	struct option *options;
	size_t options_len;
	bool other; /* a free text beside the options */
	bool note;  /* a note beside the choices */
	bool note_required;
	bool required; /* true unless said otherwise */
	enum text_format format;
	bool has_min, has_max;
	bool integer;	 /* a number without a fraction */
	double min, max; /* length of text, bounds of a number, count of choices */
	const struct json *json; /* as it came, for what has no meaning to us */
};

enum {
	QUESTIONS_MAX = 20,
	OPTIONS_MAX = 20,
	QUESTION_TEXT_MAX = 2000,
	HEADER_MAX = 80,
	LABEL_MAX = 256,
	DESCRIPTION_MAX = 1000,
	KEY_MAX = 64,
	PLACEHOLDER_MAX = 256,
	ANSWER_TEXT_MAX = 10000,
	PREVIEW_MAX = 100000,
};

const char *question_type_name(enum question_type);
/* Reads one question. `at` is its JSON pointer ("/questions/0", or "" when flat, where
 * the text is the member "question"). `n` counts from 1, for the default key. All that is
 * wrong is added to *why, unknown members too, except (when flat) those of an ask. */
enum err question_read(const struct json *, const char *at, bool flat, size_t n,
	struct arena *, struct question *out, struct fault *why);
/* Reads the questions of a stored ask (its `questions` array, already normal). */
enum err questions_load(const struct json *array, struct arena *, struct question **out,
	size_t *len, struct fault *why);
/* The question in its normal, complete form: what the ask shows. */
void question_write(struct json_writer *, const struct question *);

#endif
