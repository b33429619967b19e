/* process.h - a program that runs beside us: started, looked at, never waited for.
 *
 * It gets a session of its own and lives on when we end. What it says goes to a file in
 * memory that it holds, too, so that it never meets a broken pipe. */
#ifndef NOTIFY_PROCESS_H
#define NOTIFY_PROCESS_H

#include "base/arena.h"
#include "base/fault.h"

#include <sys/types.h>

enum { PROCESS_TAIL_MAX = 64 * 1024 };

struct process {
	pid_t pid;  /* 0: none */
	int handle; /* readable once it has ended */
	int output;
};

struct process_end {
	int exit;   /* -1: a signal ended it */
	int signal; /* 0: none did */
};

/* `input` is what it reads on standard input, the file's end at once when it is empty. */
enum err process_start(struct process *, char *const argv[], char *const envp[],
	struct str input, struct fault *why);
bool process_ended(struct process *, struct process_end *out); /* and is reaped then */
struct str process_tail(struct process *, struct arena *);     /* the last it said */
void process_trim(struct process *); /* gives back the memory of what nobody will read */
void process_done(struct process *); /* ours; the program runs on if it runs */

#endif
