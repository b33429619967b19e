/* sqlite_wal.h - the file of the write-ahead log: that what it shows is on the disk, and
 * that a commit goes there in few writes. */
#ifndef STORE_SQLITE_WAL_H
#define STORE_SQLITE_WAL_H

#include <stdbool.h>
#include <stdint.h>

/* Before the first connection opens, and with nobody else writing: writes the log's bytes
 * over themselves and syncs them. After a failed sync the system may show pages that
 * never reached the disk and will not try again; a checkpoint that trusted them could
 * leave neither log nor database whole after a power cut. Returns an SQLite code. */
int wal_renew(const char *database, const char *vfs);

/* The name of a VFS like `vfs` (NULL: the default) that gathers what is written to a log
 * and passes it on, in order, at the latest when it is synced. Only for connections that
 * sync the log at each commit: until then the others do not see it. NULL: out of
 * memory. */
const char *wal_gather(const char *vfs);

struct sqlite3_file;

/* Of the log of a connection with such a VFS: while `later`, a commit's sync is not done but
 * owed. What must be on the disk before something else is written is synced all the same.
 * Nothing happens to other files. */
void wal_sync_later(struct sqlite3_file *, bool later);
bool wal_sync_owed(struct sqlite3_file *); /* and no more, after this call */
/* Does what is owed; any thread, while others write. Returns an SQLite code. */
int wal_sync(struct sqlite3_file *);
/* What a sync took lately, on average; 0: unknown. */
int64_t wal_sync_ns(struct sqlite3_file *);

#endif
