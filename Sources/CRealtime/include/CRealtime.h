// What Swift cannot reach on its own: system calls that real-time threads make, and the C library's macros.
//
// REALTIME_SAFE is a promise to the Swift compiler, which cannot look into C: none of these functions takes a lock or
// allocates in user space, and none blocks but those that are there to wait.
#ifndef CREALTIME_H
#define CREALTIME_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define REALTIME_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

/// CLOCK_MONOTONIC in nanoseconds.
int64_t realtime_now(void) REALTIME_SAFE;

/// CLOCK_REALTIME in nanoseconds, the clock of the kernel's arrival stamps.
int64_t realtime_wall_clock(void) REALTIME_SAFE;

/// Sleeps until `deadline` of CLOCK_MONOTONIC, across signals.
void realtime_sleep_until(int64_t deadline) REALTIME_SAFE;

/// Adds one to `word` and wakes whoever waits on it.
void realtime_bell_ring(uint32_t *word) REALTIME_SAFE;

uint32_t realtime_bell_count(const uint32_t *word) REALTIME_SAFE;

/// Sleeps until `deadline` of CLOCK_MONOTONIC, or until `word` is no longer `seen`.
void realtime_bell_wait(uint32_t *word, uint32_t seen, int64_t deadline) REALTIME_SAFE;

/// Names the calling thread, lets its timers go off as exactly as the kernel can (a FIFO thread has no slack anyway), and
/// keeps its scheduling to itself: a thread that it, or a library it calls, starts begins at normal priority.
void realtime_prepare_thread(const char *name);

/// Names the calling thread, by 15 octets at most.
void realtime_name_thread(const char *name);

/// Waits until `thread` has ended, until `deadline` of CLOCK_MONOTONIC at most: whether it has. Not again after that.
int realtime_join(pthread_t thread, int64_t deadline);

/// A host and a UDP port. The first and the last eight octets of its IPv6 address as numbers, the first octet the highest;
/// an IPv4 address a.b.c.d stands as ::ffff:a.b.c.d. `scope` is the interface of a link-local address, else 0.
struct realtime_address {
  uint64_t high, low;
  uint32_t scope;
  uint16_t port;
};

/// Sends one datagram, never waiting, through a socket of AF_INET6 (`is_dual_stack`) or AF_INET. Returns 0 or -errno.
int realtime_send(int fd, int is_dual_stack, const void *bytes, size_t count, struct realtime_address to) REALTIME_SAFE;

/// Receives one datagram, never waiting. Gives the sender and the kernel's arrival stamp in nanoseconds of CLOCK_REALTIME,
/// 0 when there is none. Returns the datagram's whole length, which may exceed `room`, or -errno.
long realtime_receive(int fd, void *bytes, size_t room, struct realtime_address *from, int64_t *stamp) REALTIME_SAFE;

/// How many datagrams the kernel has thrown away because nobody took them from the socket in time, modulo 2^32.
uint32_t realtime_dropped(int fd) REALTIME_SAFE;

/// Waits until one of three descriptors has something to read, `milliseconds` at most; -1 stands for no descriptor. Bit 0:
/// the first has, bit 1: the second, bit 2: the third.
int realtime_wait_readable(int first, int second, int third, int milliseconds) REALTIME_SAFE;

#endif
