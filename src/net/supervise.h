/* supervise.h - what process.c and its supervisor agree on. Private to net.
 *
 *     parley SUPERVISE_WORD isolated|plain PARENT [hide PATH [keep NAME]…]… -- PROGRAM ARG…
 *
 * Descriptors: 0 is the program's input, 1 and 2 are its output, 3 tells why it was not begun. */
#ifndef NET_SUPERVISE_H
#define NET_SUPERVISE_H

#define SUPERVISE_WORD "--supervise"

enum { SUPERVISE_REPORT = 3, SUPERVISE_FDS = 4 };

#endif
