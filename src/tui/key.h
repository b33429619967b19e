/* key.h - what a person pressed, whatever the terminal sends for it. */
#ifndef TUI_KEY_H
#define TUI_KEY_H

#include <stdbool.h>
#include <stdint.h>

enum key_name {
	K_NONE,
	K_CHAR, /* `point` says which */
	K_ENTER,
	K_ESCAPE,
	K_TAB,
	K_BACK_TAB,
	K_UP,
	K_DOWN,
	K_LEFT,
	K_RIGHT,
	K_HOME,
	K_END,
	K_PAGE_UP,
	K_PAGE_DOWN,
	K_BACKSPACE,
	K_DELETE,
	K_ERASE_WORD, /* Ctrl-W */
	K_ERASE_LINE, /* Ctrl-U: back to the line's start */
	K_NEW_LINE,   /* Alt-Enter, Ctrl-J */
	K_EDITOR,     /* Ctrl-G */
	K_SKIP,	      /* Ctrl-X, also while a text is typed */
	K_REDRAW,     /* Ctrl-L */
	K_CLICK,      /* `row` and `column` say where */
	K_RESIZE,
	K_CLOSED, /* the terminal is gone */
	KEYS,
};

struct key {
	enum key_name name;
	int32_t point;
	bool pasted;   /* is text, never a command */
	char control;  /* the letter that was pressed with Ctrl; 0: none */
	bool together; /* a letter that came in one read with others: decides nothing */
	int row, column;
};

/* What the owner of a form or a dialog is to do after a key. */
enum wish {
	WISH_NONE,
	WISH_UNUSED,	/* the key means nothing to it */
	WISH_SUBMIT,	/* send the answer */
	WISH_SKIP,	/* send a skip */
	WISH_LEAVE,	/* close it; nothing is decided */
	WISH_EDITOR,	/* let the text that is typed be edited at length */
	WISH_ARGUMENTS, /* let the operation's arguments be edited */
	WISH_LONGER, /* let it be approved for longer: find out how far this person may go */
	WISH_TRY,    /* find out what the rule would match */
	WISH_RULE,  /* create the rule */
	WISH_EARLY, /* say that the press came before it was armed: nothing is decided */
	WISH_REPLY, /* send the message to the agent */
	WISH_CLAIM,
	WISH_EXTEND,
	WISH_SESSION, /* show its session */
};

/* Ctrl-D, F, U and B turn pages where no text is typed. */
static inline enum key_name key_paging(const struct key *k)
{
	bool down = k->control == 'D' || k->control == 'F';
	bool up = k->control == 'U' || k->control == 'B';

	return down ? K_PAGE_DOWN : up ? K_PAGE_UP : k->name;
}

/* The letter or digit pressed, or 0: another key, or a pasted one. */
static inline int32_t key_letter(const struct key *k)
{
	return k->name == K_CHAR && !k->pasted ? k->point : 0;
}

/* The same, of a key that may decide: pressed by itself. */
static inline int32_t key_alone(const struct key *k)
{
	return k->together ? 0 : key_letter(k);
}

#endif
