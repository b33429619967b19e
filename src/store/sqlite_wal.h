/* sqlite_wal.h - makes sure that what the write-ahead log shows is on the disk. */
#ifndef STORE_SQLITE_WAL_H
#define STORE_SQLITE_WAL_H

/* Before the first connection opens, and with nobody else writing: writes the log's bytes
 * over themselves and syncs them. After a failed sync the system may show pages that
 * never reached the disk and will not try again; a checkpoint that trusted them could
 * leave neither log nor database whole after a power cut. Returns an SQLite code. */
int wal_renew(const char *database, const char *vfs);

#endif
