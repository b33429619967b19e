/* scene.h - one story told while things fail, and its end judged: what was acknowledged
 * is there, what was refused is not, and what is unknown is told by its key. */
#ifndef TESTS_FAULT_SCENE_H
#define TESTS_FAULT_SCENE_H

#include "cutvfs.h"
#include "desk_rig.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h> /* last: it makes `fail` a macro */

/* What is done while things fail. */
enum deed_name { MAKE, ANSWER, SKIP, DELETE, MAKE_MORE, LIST, EVENTS, DEEDS };

struct scene {
	struct rig *r;
	struct made a, b, c; /* pending; pending; settled, its session is to be deleted */
	enum err done[DEEDS];
	bool ready; /* what desk_ready said at the end of it */
};

void scene_begin(struct scene *, struct rig *); /* nothing fails yet */
void scene_play(struct scene *);		/* things fail */
/* Things work again. Fails the test, with `what`, when the store is not as it was told.
 */
void scene_judge(const struct scene *, const char *what);
/* All is tried again until it is done; the end is the same whatever happened before. */
void scene_repeat(struct scene *, const char *what);

/* The beginning of a story, made once and entered many times: a disk with a desk on it.
 */
struct stage {
	struct cut_history *history;
	struct rig rig;
	struct scene scene;
};

void stage_set(struct stage *, const struct rig_options *); /* on the cut disk, alone */
void stage_enter(
	const struct stage *, const struct rig_options *, struct rig *, struct scene *);
void stage_done(struct stage *);
/* As kill -9 would, or a power cut: the desk is gone, and opens again on what is left. */
void scene_cut(struct scene *, enum cut_choice, const char *what);

/* How often what happened since the last time, for whoever reads the output. */
void scene_tell(const char *of);

#endif
