// System calls of real-time threads, and macros of the C library that Swift cannot import.
//
// REALTIME_SAFE declares to the Swift compiler, which does not check C code, that a function takes no lock and does not
// allocate in user space. None of these functions blocks, except the wait and sleep functions.
#ifndef CREALTIME_H
#define CREALTIME_H

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>

#define REALTIME_SAFE __attribute__((swift_attr("@_noLocks"), swift_attr("@_noAllocation")))

/// Returns CLOCK_MONOTONIC in nanoseconds.
int64_t realtime_now(void) REALTIME_SAFE;

/// Returns CLOCK_REALTIME in nanoseconds, the clock of the kernel's arrival stamps.
int64_t realtime_wall_clock(void) REALTIME_SAFE;

/// Returns CLOCK_BOOTTIME in nanoseconds, which runs while the machine is suspended. CLOCK_MONOTONIC stands still then.
int64_t realtime_boot_clock(void) REALTIME_SAFE;

/// Returns CLOCK_MONOTONIC_RAW in nanoseconds, which runs at the rate of the oscillator. NTP does not slew it.
int64_t realtime_raw_clock(void);

/// The state of the kernel's clock discipline (adjtimex(2)).
struct realtime_clock_discipline {
  /// Whether the kernel considers CLOCK_REALTIME synchronized.
  int is_synchronized;
  /// The part of the offset that the kernel has not corrected yet, in nanoseconds.
  int64_t offset;
  /// The correction of the rate in parts per million.
  double frequency;
  /// The estimated and the maximum error in microseconds.
  int64_t estimated_error, maximum_error;
};

/// Reads the state of the kernel's clock discipline. Returns 0, or -errno.
int realtime_read_discipline(struct realtime_clock_discipline *discipline);

/// Returns CLOCK_THREAD_CPUTIME_ID in nanoseconds: the processor time that the calling thread has used since its start.
int64_t realtime_thread_time(void) REALTIME_SAFE;

/// Sleeps until `deadline`, in nanoseconds of CLOCK_MONOTONIC. Continues to sleep after a signal.
void realtime_sleep_until(int64_t deadline) REALTIME_SAFE;

// The count of a doorbell (Doorbell.swift) is one word, which is also a futex.

/// Increments `word` and wakes the thread that waits on it.
void realtime_bell_ring(uint32_t *word) REALTIME_SAFE;

/// Returns `word`.
uint32_t realtime_bell_count(const uint32_t *word) REALTIME_SAFE;

/// Sleeps until `deadline`, in nanoseconds of CLOCK_MONOTONIC, or until `word` differs from `seen`. May return early.
void realtime_bell_wait(uint32_t *word, uint32_t seen, int64_t deadline) REALTIME_SAFE;

/// Prepares the calling thread: sets its name; sets its timer slack to 1 ns (a FIFO thread has no slack anyway); sets
/// SCHED_RESET_ON_FORK, so that threads that this thread starts have normal priority; makes its stack resident and, if the
/// kernel permits, locks the stack.
void realtime_prepare_thread(const char *name);

/// Sets the name of the calling thread, at most 15 octets.
void realtime_name_thread(const char *name);

/// Disables transparent huge pages for this process. Returns 0 on success.
int realtime_disable_huge_pages(void);

/// Loads the code and the constants that real-time threads use, of the program and of the loaded libraries, and locks them. If the
/// kernel refuses the lock, they are only loaded. All other code is read from the disk in advance, but takes no memory of the process.
void realtime_lock_code(void);

/// Ends the lock of all other code, and gives its memory back to the kernel. Code that is used again is loaded again.
void realtime_release_other_code(void);

/// Returns whether the process may lock `bytes` more octets of memory.
int realtime_can_lock(size_t bytes);

/// Returns the number of octets that the process may lock (RLIMIT_MEMLOCK), or -1 if there is no limit, or if the process
/// may exceed the limit (CAP_IPC_LOCK).
int64_t realtime_lock_limit(void);

/// Waits until `thread` has ended, but at most until `deadline`, in nanoseconds of CLOCK_MONOTONIC. Returns 1 if it has
/// ended, otherwise 0. After 1, `thread` must not be joined again.
int realtime_join(pthread_t thread, int64_t deadline);

/// An IP address and a UDP port. `high` and `low` are the first and the last eight octets of the IPv6 address, as numbers
/// whose most significant octet is the first. An IPv4 address a.b.c.d is stored as ::ffff:a.b.c.d. `scope` is the
/// interface index of a link-local address, otherwise 0.
struct realtime_address {
  uint64_t high, low;
  uint32_t scope;
  uint16_t port;
};

/// Sends one datagram without blocking, through a socket of family AF_INET6 (if `is_dual_stack` is not 0) or AF_INET.
/// The source address is `from`; if `from` is ::, the kernel chooses the address. The port of `from` is not used.
/// Returns 0 or -errno. The result is -EINVAL if `from` is not an address of this host.
int realtime_send(int fd, int is_dual_stack, const void *bytes, size_t count, struct realtime_address to,
                  struct realtime_address from) REALTIME_SAFE;

/// Receives one datagram without blocking. Stores the sender in `from`. Stores the local address to which the datagram
/// was sent in `to`, with port 0; the address is :: if the kernel does not report it. Stores the kernel's arrival stamp
/// in `stamp`, in nanoseconds of CLOCK_REALTIME; 0 if there is none. Returns the full length of the datagram, which can
/// exceed `capacity`, or -errno.
long realtime_receive(int fd, void *bytes, size_t capacity, struct realtime_address *from, struct realtime_address *to,
                      int64_t *stamp) REALTIME_SAFE;

/// Makes the kernel drop unexpected datagrams at the UDP socket `fd`. The socket accepts datagrams that begin with FF
/// FF (the AppleMIDI commands). If `accepts_rtp` is not 0, it also accepts RTP packets of version 2 with payload type
/// 97. Returns 0, or -errno if the kernel does not support this.
int realtime_filter(int fd, int accepts_rtp);

/// Returns the number, modulo 2^32, of datagrams that the kernel dropped because the receive buffer of the socket was full or because
/// the filter of the socket rejected them.
uint32_t realtime_dropped(int fd) REALTIME_SAFE;

/// Waits until one of `count` descriptors is readable, at most `milliseconds`. `count` is at most 4. A descriptor of -1 is
/// ignored. Returns a bit mask of the readable descriptors: bit n for `fds[n]`.
int realtime_wait_readable(const int *fds, size_t count, int milliseconds) REALTIME_SAFE;

/// Creates an eventfd (eventfd(2)) that does not block. Returns -1 and sets errno if the process has too many descriptors.
int realtime_event_open(void);

/// Makes the eventfd `fd` readable.
void realtime_event_signal(int fd) REALTIME_SAFE;

/// Makes the eventfd `fd` not readable.
void realtime_event_clear(int fd) REALTIME_SAFE;

#endif
