/* sqlite_wal.h - the file of the write-ahead log: that what it shows is on the disk, and
 * that a commit goes there in few writes. */
#ifndef STORE_SQLITE_WAL_H
#define STORE_SQLITE_WAL_H

/* Before the first connection opens, and with nobody else writing: writes the log's bytes
 * over themselves and syncs them. After a failed sync the system may show pages that
 * never reached the disk and will not try again; a checkpoint that trusted them could
 * leave neither log nor database whole after a power cut. Returns an SQLite code. */
int wal_renew(const char *database, const char *vfs);

/* The name of a VFS like `vfs` (NULL: the default) that gathers what is written to a log
 * and passes it on, in order, at the latest when it is synced. Only for connections that
 * sync the log at each commit: until then the others do not see it. NULL: out of memory.
 */
const char *wal_gather(const char *vfs);

#endif
