/* run_kit.h - runs played by hand, for tests that end with the first thing wrong. */
#ifndef TESTS_RUN_KIT_H
#define TESTS_RUN_KIT_H

#include "place.h"
#include "run_rig.h"

#define TEXT(t) "{'type':'text','text':'" t "'}"
#define CALL(id, name, args)                                                             \
	"{'type':'tool_call','id':'" id "','name':'" name "','arguments':" args "}"
#define TODO CALL("t1", "todo", "{'operation':'create','name':'Once'}")

int64_t number(struct rig *, const char *sql);	   /* one number, past the program */
struct rig *prepared(void **state);		   /* the test's, with run_rig_prepare */
struct held claimed(struct rig *, const char *by); /* the only run that is due */
struct made open_ask(struct rig *);		   /* the only one; by its id */
enum err answer(struct rig *, const char *ask, const char *body); /* mia's */
/* Is this text in what is shown of the session and its runs? */
enum err said(struct rig *, const char *session, const char *text, bool *shown);

#endif
