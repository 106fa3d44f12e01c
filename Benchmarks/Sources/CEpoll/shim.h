// Declarations that the Swift module Glibc lacks: epoll, and the macros for ancillary data of datagrams.
#ifndef CEPOLL_H
#define CEPOLL_H

#include <stdint.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <time.h>

/// Returns the kernel receive time stamp of `message` in nanoseconds of CLOCK_REALTIME; 0 if there is none.
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
