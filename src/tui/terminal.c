/* terminal.c - asks terminfo about the terminal. Apart from screen.c because term.h defines
 * `columns`, `lines` and a hundred more as macros. */
#include "tui/terminal.h"

#include <curses.h>
#include <stdlib.h>
#include <string.h>
#include <term.h>

const char *terminal_unfit(int fd)
{
	int known = 0;

	if (setupterm(NULL, fd, &known) != OK) return "tui.term.unknown";
	return cursor_address ? NULL : "tui.term.dumb";
}

bool terminal_switches(void)
{
	return enter_ca_mode != NULL;
}

bool terminal_brackets(void)
{
	static const char *const without[] = { "linux", "vt", "ansi" };
	const char *term = getenv("TERM");

	for (size_t i = 0; term && i < sizeof without / sizeof *without; i++)
		if (strncmp(term, without[i], strlen(without[i])) == 0) return false;
	return term != NULL;
}
