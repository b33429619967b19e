/* loop_parts.h - what the files of the loop share among themselves. */
#ifndef NET_LOOP_PARTS_H
#define NET_LOOP_PARTS_H

struct loop;
struct wheel;

struct wheel *loop_wheel(struct loop *);

#endif
