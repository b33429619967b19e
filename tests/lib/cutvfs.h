/* cutvfs.h - an SQLite VFS named "cut": a file system in memory whose power can be cut
 * and whose calls can be made to fail. Owns the one such file system of the process.
 *
 *	cut_reset();
 *	// work over connections with the VFS "cut"; after each commit note cut_position()
 *	struct cut_history *h = cut_power_off();
 *	for (...) {
 *		cut_state(h, position, choice, seed);
 *		// open anew: what was committed at or before `position` is there
 *	}
 *	cut_history_free(h);
 *
 * It behaves as SQLite's own VFS does on Unix: locks and shared memory between
 * connections and threads of the process, the directory synced at the first sync of a
 * journal or WAL, errors of that sync ignored. Any thread may call any function. */
#ifndef TESTS_CUTVFS_H
#define TESTS_CUTVFS_H

#include "cutdisk.h"

void cut_register(void); /* beside the default VFS, not in its place; again is fine */
/* An empty file system, powered, no faults. Handles of the one before are dead: they
 * answer every call but a close with an I/O error. */
void cut_reset(void);
uint64_t cut_position(void); /* operations since the last reset, power-off or state */
/* Ends the present life of the file system and hands out its history, yours. The file
 * system is empty then, and open handles are dead, as at cut_reset; faults stay as they
 * are. */
struct cut_history *cut_power_off(void);
/* Makes the disk after a power cut at `position` of a history the file system, a new life
 * with a history of its own: so power can also be cut while a cut is recovered from. */
void cut_state(struct cut_history *, uint64_t position, enum cut_choice, uint64_t seed);

/* Each sync takes so long from now on, before what it syncs is durable; 0: no time. */
void cut_sync_takes(unsigned us);

enum cut_fault {
	CUT_READ,     /* SQLITE_IOERR_READ */
	CUT_WRITE,    /* SQLITE_IOERR_WRITE, and the first half is written */
	CUT_FULL,     /* SQLITE_FULL at a write, and the first half is written */
	CUT_SYNC,     /* SQLITE_IOERR_FSYNC, and what was to be synced stays in doubt */
	CUT_SYNC_DIR, /* the directory is not synced; no error, as SQLite ignores it */
	CUT_TRUNCATE, /* SQLITE_IOERR_TRUNCATE */
	CUT_OPEN,     /* SQLITE_CANTOPEN */
	CUT_DELETE,   /* SQLITE_IOERR_DELETE */
	CUT_FAULTS
};

/* The n-th call of this kind from now on fails, and all after it when `onwards`; 0 turns
 * it off. Kinds may be armed together. */
void cut_fail_at(enum cut_fault, uint64_t n, bool onwards);
void cut_fail_none(void);	    /* all kinds off */
uint64_t cut_calls(enum cut_fault); /* of this kind since its cut_fail_at, or reset */
uint64_t cut_failures(void);	    /* since the last cut_fail_none or reset */

#endif
