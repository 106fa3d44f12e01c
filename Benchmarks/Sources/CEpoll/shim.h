// What Glibc's Swift module lacks: epoll, and the C library's macros for what comes with a datagram.
#ifndef CEPOLL_H
#define CEPOLL_H

#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

/// The kernel's arrival stamp that came with `message`, nanoseconds of CLOCK_REALTIME; 0 when there is none.
static inline int64_t arrival_stamp(struct msghdr *message) {
  for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      memcpy(&t, CMSG_DATA(c), sizeof t);
      return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
    }
  return 0;
}

#endif
