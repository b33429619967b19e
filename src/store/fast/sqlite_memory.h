/* sqlite_memory.h - the memory SQLite works in. */
#ifndef STORE_SQLITE_MEMORY_H
#define STORE_SQLITE_MEMORY_H

/* To be called before SQLite is first used; once counts. Small blocks that a thread frees
 * stay with it for its next statement. Debian's SQLite is built without such a cache of its own,
 * and an answered ask takes and frees over a hundred of them. */
void sqlite_memory_use(void);

#endif
