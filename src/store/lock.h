/* lock.h - one process at a time has an embedded store. */
#ifndef STORE_LOCK_H
#define STORE_LOCK_H

#include "base/fault.h"

/* Takes the lock of a store for this process until store_unlock or its end; makes an empty
 * file where there is none. ERR_BUSY: another process has it. A store that is shared by
 * nature has no lock: *fd is -1 then. To be given back once every connection is closed. */
enum err store_lock(struct str url, int *fd, struct fault *why);
/* For reading: keeps a server from starting; others may read, too. Makes nothing. */
enum err store_lock_shared(struct str url, int *fd, struct fault *why);
void store_unlock(int fd); /* -1 is fine */

#endif
