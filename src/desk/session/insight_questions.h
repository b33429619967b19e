/* insight_questions.h - asks counted by question: the same one is of the same kind and pattern. Private
 * to desk. */
#ifndef DESK_INSIGHT_QUESTIONS_H
#define DESK_INSIGHT_QUESTIONS_H

#include "desk/session/insight_groups.h"
#include "desk/shared/inner.h"

enum question_order { ORDER_ASKS, ORDER_EXPIRED, ORDER_TIME, QUESTION_ORDERS };
extern const char *const question_order_names[QUESTION_ORDERS];

struct insight_questions {
	struct insight_groups groups;
	struct table texts;    /* what was asked in these very words → its group */
	struct table sessions; /* that ended, by group */
	struct buf key;
};

/* False: out of memory. */
bool questions_count(struct insight_questions *, const struct insight_ask *);
/* An array of at most 50. Their words are those of the newest ask, which is read now. */
enum err questions_counted_write(struct json_writer *, struct insight_questions *,
	enum question_order, struct rows *, int64_t ws, struct fault *);
void questions_done(struct insight_questions *);

#endif
