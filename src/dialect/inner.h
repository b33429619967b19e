/* inner.h - what the dialects share: reading a request leniently, asking, and telling how
 * it came out. Private to dialect. */
#ifndef DIALECT_INNER_H
#define DIALECT_INNER_H

#include "base/json_pattern.h"
#include "core/ask/question_kind.h"
#include "core/shared/body.h"
#include "dialect/dialect.h"

/* ---- a request on its way in ---- */

struct inbound {
	const struct json *request;
	bool strict;
	int64_t now_ms;
	struct arena *arena;
	struct check check;		   /* what cannot be understood */
	const char *kind;		   /* of the ask; NULL: blocking */
	bool template;			   /* the ask is what a template says */
	struct json_writer ask, questions; /* members of the ask; its questions */
	/* The ask's context: Markdown, members as JSON (`"a":1,"b":2`), and texts too long
	 * for their place. */
	struct str context_text, context_members;
	struct buf overflow;
	/* Ids of offers that last → "session" or "always"; members of an object. */
	struct str scopes;
	bool never_once; /* nothing offered allows this call alone: nobody can approve */
	size_t questions_len;
	struct str repairs[REPAIRS_MAX];
	size_t repairs_len;
};

/* A rule is broken at a place. Strictly that is wrong; else it is mended, and `how` is
 * told with it. Repeats and those too many are dropped. True: mend it. */
bool repair(struct inbound *, const struct json_place *, const char *how,
	const char *rule, ...) __attribute__((format(printf, 4, 5)));

/* Something a model should know although nothing is wrong. */
void remark(struct inbound *, const struct json_place *, const char *text);

/* Members of a request. What is absent, null or of another type is as good as nothing. */
/* The first that is a text and not blank; `names` end with NULL. */
struct str member_first(const struct json *object, const char *const *names);
bool member_flag(const struct json *object, const char *name);
/* An array, an object: models send them as strings, too, and one thing for a list of one.
 * NULL: it is none, or cannot be read. */
const struct json *list_of(struct arena *, const struct json *);
const struct json *object_of(struct arena *, const struct json *);
/* The same of a member, telling what was mended. */
const struct json *member_list(struct inbound *, const struct json_place *,
	const struct json *object, const char *name);
const struct json *member_object(struct inbound *, const struct json_place *,
	const struct json *object, const char *name);
/* A string, or a number or boolean as it is spelt. */
struct str scalar_text(const struct json *);

/* ---- options ---- */

/* One option of a foreign list. Made alike on the way in and on the way out, so that what
 * was selected leads back to what came. */
struct choice {
	struct str id;	  /* of the ask's option: its own, its label, or "#3" */
	struct str label; /* whole, without "(Recommended)" */
	struct str said;  /* the label as it came */
	struct str description, preview;
	const struct json *from;
	bool suggested;
};

struct choices {
	struct choice *at;
	size_t len;
};

/* What a dialect calls the members of an option; NULL: it has no such thing. */
struct choice_names {
	const char *id, *label, *description, *preview;
	bool other_ours; /* an option "Other" is left out: it is offered anyway */
	const struct json *labels; /* of plain options, in their order; or NULL */
};

/* Options may be plain strings, numbers or booleans. `list` may be NULL. */
struct choices choices_make(
	struct arena *, const struct json *list, const struct choice_names *);
/* The same, and what is wrong with them or was mended. */
struct choices choices_read(struct inbound *, const struct json_place *,
	const struct json *list, const struct choice_names *);
/* Both of the member "options" of what stands at the place. */
struct choices choices_offered(
	struct arena *, const struct json *object, const struct choice_names *);
struct choices choices_given(struct inbound *, const struct json_place *,
	const struct json *object, const struct choice_names *);
const struct choice *choice_find(const struct choices *, struct str id); /* or NULL */

/* ---- the ask ---- */

/* A question as a dialect means it. Whatever does not fit is mended when it is put. */
struct asked {
	struct str key; /* empty: q1, q2, … */
	struct str header, text;
	const char *type;
	struct choices choices;
	bool other, note, note_required, optional;
	struct str placeholder, note_placeholder;
	const char *format;
	const struct json *min, *max; /* numbers, or NULL */
	bool integer;
	struct str prefill; /* JSON; empty: none. Left out when it is no answer */
};

/* The whole body, once everything was put. */
void inbound_write(struct inbound *, struct json_writer *);
void question_put(struct inbound *, const struct json_place *, const struct asked *);
/* Each of the request's list "questions", of at most `most` (0: any number), put by
 * `put`. */
typedef void question_fn(
	struct inbound *, const struct json_place *, const struct json *);
void questions_put(struct inbound *, question_fn *put, uint32_t most);
/* What it is about: the title where it fits one, else in the context. */
void about_put(struct inbound *, struct str);
void timeout_put(struct inbound *, int64_t ms);
/* At most `max` characters, on one line if `line`; mended when it is not. */
struct str text_fit(
	struct inbound *, const struct json_place *, struct str, size_t max, bool line);
bool key_fits(struct str); /* can be the key of a question */

/* What a tool says when it suspends itself: its own words where it has some, else all of
 * it as JSON. */
struct str suspend_words(struct arena *, const struct json *said);

/* What would run. Without arguments: NULL. `about` says it in the agent's words. */
struct operation_asked {
	const char *type; /* NULL: tool */
	struct str name;
	const struct json *arguments;
	struct str about;
	struct str risk;
};
void operation_put(
	struct inbound *, const struct json_place *, const struct operation_asked *);
/* The operation of an agent that has made a plan and wants to begin: it is read whole before it is
 * approved. `input` has its text as "plan", or `text` is it. Without a text there is nothing to
 * approve: wrong. */
struct operation_asked approval_plan(struct inbound *, const struct json_place *,
	const struct json *input, struct str text);
/* `_meta` of a request: "parley/beside" says where else it is open ("terminal"), "parley/timeout"
 * until when, in seconds. For dialects whose agents show a prompt of their own meanwhile. */
void inbound_beside(struct inbound *);
/* A whole approval of one operation, with the question `decision`. */
void approval_put(
	struct inbound *, const struct json_place *, const struct operation_asked *);
/* The same with that question written out, where others follow it. */
void approval_put_question(
	struct inbound *, const struct json_place *, const struct operation_asked *);
void put_object(struct json_writer *, const char *key, const struct json *); /* or {} */

/* ---- approvals that can be given in more than one way ---- */

/* One answer that a dialect offers to an approval. */
struct offer {
	struct str id, label;
	bool allows;
	bool lasts;   /* beyond this call: never taken unless it was chosen */
	bool session; /* and that is the session: else always */
	const struct json *from;
};

enum { OFFERS_MAX = OPTIONS_MAX };

/* The approval, and where there is a choice the question `option`. */
void grant_put(struct inbound *, const struct json_place *,
	const struct operation_asked *, const struct offer *, size_t len);

/* ---- several actions in one request ---- */

/* One action, and what may be done with it. */
struct action {
	struct str name;
	const struct json *arguments;
	struct str about;
	bool may_respond; /* a person may answer in its place */
	bool text_only;	  /* and do nothing else: it is a question, really */
};

/* Kind approval, or blocking when all are but questions. */
void actions_put(
	struct inbound *, const struct json_place *, const struct action *, size_t len);

/* ---- questions from a JSON schema ---- */

/* Can a question hold it, or must it be asked for as JSON? */
bool schema_flat(const struct json *schema);
bool schema_empty(const struct json *schema); /* of an object without a property */
/* A schema as a question; a text that is set already stays. */
void schema_asked(struct inbound *, const struct json_place *, struct str name,
	const struct json *schema, bool required, struct asked *out);
/* A question for each property of an object's schema, or one for any other; how many.
 * `named`: properties give the keys, where all can. */
size_t schema_put(struct inbound *, const struct json_place *, const struct json *schema,
	struct str text, bool named);

/* ---- an ask on its way out ---- */

struct foreign_reply {
	const struct ask_json *whole;
	const struct ask *ask;	    /* its record */
	const struct json *request; /* as it came; NULL: it came otherwise */
	bool strict;
	struct arena *arena;
	struct json_writer reply;
	enum { BY_NOBODY, BY_HUMAN, BY_POLICY, BY_DEFAULT } by;
};

/* One question of the ask and what was said to it. */
struct said {
	const struct json *question;
	bool given;
	const struct json *selected; /* array of option ids, or NULL */
	struct str other, text;
	const struct json *value, *arguments;
};

size_t said_count(const struct foreign_reply *);
struct said said_at(const struct foreign_reply *, size_t i);
/* What was selected: choices of the request, or the ask's own where it has none. */
struct choices said_choices(
	const struct foreign_reply *, const struct said *, const struct choices *offered);

/* Has somebody, a rule or a default said something? */
bool answered(const struct foreign_reply *);
/* Why there is no answer ("Skipped by the user: …"), or where it came from if no person gave
 * it (a rule, a default); empty if a person gave it. */
struct str outcome_words(const struct foreign_reply *);
/* The same as members of an object that the dialect's schema leaves open: "status" and
 * "message"; nothing when a person answered. */
void outcome_put(struct foreign_reply *);
/* The same for protocols that keep what is not theirs in "_meta". */
void meta_put(struct foreign_reply *, struct str words);
/* An answer in one text: labels, "Other: …", "Yes", "Approve", a number; notes apart. */
enum question_input said_input(const struct said *);
struct str said_words(const struct foreign_reply *, const struct said *);

/* The answer as items of an array: labels as they came, then what was typed. */
void labels_write(const struct foreign_reply *, const struct said *,
	const struct json *asked, const struct choice_names *, struct json_writer *);
/* The i-th of the request's list "questions"; NULL: there is none. */
const struct json *question_asked(const struct foreign_reply *, size_t i);

/* What a text picks among options: the reading of answer_words. */
struct picked {
	uint32_t set; /* a bit an option */
	struct str other;
	bool lost; /* some of it is no option */
};
struct picked picked_read(struct arena *, struct str, const struct choices *);
/* The answer as one text that leads back to the same options. */
struct str answer_words(
	const struct foreign_reply *, const struct said *, const struct choices *offered);

/* What was decided on an approval. Anything but a person's or a rule's approval
 * denies. */
struct verdict {
	bool allow;
	const struct json *arguments; /* edited; NULL: as they came */
	struct str words;	      /* the person's own, or why there are none */
	struct str own;		      /* the person's own alone */
};
struct verdict verdict_of(const struct foreign_reply *);
struct verdict verdict_said(
	const struct foreign_reply *, const struct said *); /* on one */
/* For a dialect that cannot hand edited arguments back: what was approved is not what
 * would run, so it is denied, and the words say what would have been allowed. */
struct verdict verdict_plain(const struct foreign_reply *, struct verdict);
struct verdict verdict_unedited(
	const struct foreign_reply *); /* the same of verdict_of */

/* What an ask's operation is, of one that came otherwise. */
struct operation_asked operation_of(const struct foreign_reply *);
/* The offer that was taken: what was chosen, or the plainest that says the same; NULL:
 * there is none. */
const struct offer *grant_of(const struct foreign_reply *, const struct verdict *,
	const struct offer *, size_t len);

/* What became of the i-th action of actions_put. */
struct operation_done {
	struct verdict verdict;
	struct str response; /* said in its place; empty: nothing */
};
struct operation_done action_done(
	const struct foreign_reply *, size_t i, const struct action *, size_t len);

/* The value of a schema's question. `schema` may be NULL: the value as the ask has it. */
void schema_write(const struct foreign_reply *, const struct said *,
	const struct json *schema, struct json_writer *);
/* What schema_put asked, as an object or a value. *next is the first question, and then
 * the one after the last. */
void schema_answer(const struct foreign_reply *, const struct json *schema, size_t *next,
	struct json_writer *);

/* ---- the table ---- */

extern const struct dialect dialect_ask_user_question, dialect_user_question,
	dialect_ask_question, dialect_elicitation, dialect_permission, dialect_codex,
	dialect_gemini, dialect_opencode, dialect_agent_inbox, dialect_langchain_hitl,
	dialect_ag_ui, dialect_acp, dialect_a2a, dialect_vercel, dialect_airflow,
	dialect_humanlayer, dialect_openai_agents, dialect_mastra;

#endif
