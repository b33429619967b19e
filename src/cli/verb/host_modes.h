/* host_modes.h - the terminal modes that a hosted agent has switched on, read from what it
 * prints, so that a dialog can switch them off and back on. Pure.
 *
 * Followed are the private modes of `modes` in host_modes.c (cursor keys, mouse, paste,
 * alternate screen, …), the keypad (ESC = and ESC >), the kitty keyboard stack
 * (CSI > n u, CSI < n u) and modifyOtherKeys (CSI > 4 ; n m). */
#ifndef CLI_VERB_HOST_MODES_H
#define CLI_VERB_HOST_MODES_H

#include "base/buf.h"

enum { HOST_MODES = 16, HOST_KEYS_DEEP = 8, HOST_SEQUENCE_MAX = 64 };

/* { 0 } is a terminal nobody has changed. */
struct host_modes {
	bool changed[HOST_MODES]; /* differs from what a terminal starts with */
	bool keypad;
	unsigned keys[HOST_KEYS_DEEP]; /* the kitty stack, its flags */
	size_t keys_len;
	unsigned modify_keys; /* modifyOtherKeys; 0: off */
	/* The sequence being read; it may come in pieces. */
	char sequence[HOST_SEQUENCE_MAX];
	size_t sequence_len;
	enum { HOST_TEXT, HOST_ESCAPE, HOST_CSI, HOST_STRING, HOST_STRING_ESCAPE } at;
};

void host_modes_read(struct host_modes *, struct str printed);
/* What switches every changed mode off, or on again. */
void host_modes_off(const struct host_modes *, struct buf *out);
void host_modes_on(const struct host_modes *, struct buf *out);

#endif
