#define _GNU_SOURCE
#include "CRealtime.h"

#include <endian.h>
#include <errno.h>
#include <linux/futex.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/// Returns `t` as a number of nanoseconds.
static int64_t nanoseconds(struct timespec t) { return t.tv_sec * INT64_C(1000000000) + t.tv_nsec; }

/// Returns `ns` nanoseconds as a timespec; a negative number gives 0.
static struct timespec timespec_of(int64_t ns) {
  if (ns < 0) ns = 0;
  return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

int64_t realtime_now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return nanoseconds(t);
}

int64_t realtime_wall_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_REALTIME, &t);
  return nanoseconds(t);
}

void realtime_sleep_until(int64_t deadline) {
  const struct timespec t = timespec_of(deadline);
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {}
}

void realtime_bell_ring(uint32_t *word) {
  __atomic_fetch_add(word, 1, __ATOMIC_RELEASE);
  syscall(SYS_futex, word, FUTEX_WAKE | FUTEX_PRIVATE_FLAG, 1, NULL, NULL, 0);
}

uint32_t realtime_bell_count(const uint32_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }

void realtime_bell_wait(uint32_t *word, uint32_t seen, int64_t deadline) {
  const struct timespec t = timespec_of(deadline);
  syscall(SYS_futex, word, FUTEX_WAIT_BITSET | FUTEX_PRIVATE_FLAG, seen, &t, NULL, FUTEX_BITSET_MATCH_ANY);
}

void realtime_name_thread(const char *name) { pthread_setname_np(pthread_self(), name); }

void realtime_prepare_thread(const char *name) {
  realtime_name_thread(name);
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  struct sched_param parameter;
  const int policy = sched_getscheduler(0);
  if ((policy == SCHED_FIFO || policy == SCHED_RR) && sched_getparam(0, &parameter) == 0)
    sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &parameter);
}

int realtime_disable_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

int realtime_join(pthread_t thread, int64_t deadline) {
  const struct timespec t = timespec_of(deadline);
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &t) == 0;
}

/// Sends one datagram to the socket address `to` of `length` octets. Returns 0 or -errno.
static int send_to(int fd, const void *bytes, size_t count, const void *to, socklen_t length) {
  for (;;) {
    if (sendto(fd, bytes, count, MSG_DONTWAIT | MSG_NOSIGNAL, (const struct sockaddr *)to, length) >= 0) return 0;
    if (errno != EINTR) return -errno;
  }
}

/// Whether the address is an IPv4-mapped IPv6 address, prefix ::ffff:0:0/96 (RFC 4291, section 2.5.5.2).
static int is_ipv4(struct realtime_address address) { return address.high == 0 && address.low >> 32 == 0xFFFF; }

int realtime_send(int fd, int is_dual_stack, const void *bytes, size_t count, struct realtime_address to) {
  if (!is_dual_stack) {
    if (!is_ipv4(to)) return -EAFNOSUPPORT;
    const struct sockaddr_in ipv4 = {
        .sin_family = AF_INET, .sin_port = htons(to.port), .sin_addr.s_addr = htonl((uint32_t)to.low)};
    return send_to(fd, bytes, count, &ipv4, sizeof ipv4);
  }
  struct sockaddr_in6 ipv6 = {.sin6_family = AF_INET6, .sin6_port = htons(to.port), .sin6_scope_id = to.scope};
  const uint64_t halves[2] = {htobe64(to.high), htobe64(to.low)};
  memcpy(&ipv6.sin6_addr, halves, sizeof halves);
  return send_to(fd, bytes, count, &ipv6, sizeof ipv6);
}

long realtime_receive(int fd, void *bytes, size_t capacity, struct realtime_address *from, int64_t *stamp) {
  union { struct sockaddr any; struct sockaddr_in ipv4; struct sockaddr_in6 ipv6; } sender = {0};
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  union { char bytes[256]; struct cmsghdr align; } control;
  struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1,
                           .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  long got;
  do got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_TRUNC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return -errno;
  *from = (struct realtime_address){0};
  if (sender.any.sa_family == AF_INET6) {
    uint64_t halves[2];
    memcpy(halves, &sender.ipv6.sin6_addr, sizeof halves);
    from->high = be64toh(halves[0]);
    from->low = be64toh(halves[1]);
    from->scope = sender.ipv6.sin6_scope_id;
    from->port = ntohs(sender.ipv6.sin6_port);
  } else {
    from->low = UINT64_C(0xFFFF) << 32 | ntohl(sender.ipv4.sin_addr.s_addr);
    from->port = ntohs(sender.ipv4.sin_port);
  }
  *stamp = 0;
  // The kernel's arrival stamp is in the control message SCM_TIMESTAMPNS, because the socket has the option SO_TIMESTAMPNS.
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c))
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      memcpy(&t, CMSG_DATA(c), sizeof t);
      *stamp = nanoseconds(t);
    }
  return got;
}

uint32_t realtime_dropped(int fd) {
  uint32_t memory[SK_MEMINFO_VARS] = {0};
  socklen_t length = sizeof memory;
  return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &length) == 0 ? memory[SK_MEMINFO_DROPS] : 0;
}

int realtime_wait_readable(int first, int second, int third, int milliseconds) {
  struct pollfd fds[3] = {{.fd = first, .events = POLLIN}, {.fd = second, .events = POLLIN}, {.fd = third, .events = POLLIN}};
  if (poll(fds, 3, milliseconds) <= 0) return 0;
  return (fds[0].revents ? 1 : 0) | (fds[1].revents ? 2 : 0) | (fds[2].revents ? 4 : 0);
}
