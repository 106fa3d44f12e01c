#define _GNU_SOURCE
#include "CRealtime.h"
#include "ProgramCode.h"

#include <endian.h>
#include <errno.h>
#include <link.h>
#include <linux/filter.h>
#include <linux/futex.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timex.h>
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

int64_t realtime_boot_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_BOOTTIME, &t);
  return nanoseconds(t);
}

int64_t realtime_raw_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC_RAW, &t);
  return nanoseconds(t);
}

int realtime_read_discipline(struct realtime_clock_discipline *discipline) {
  struct timex state = {.modes = 0};
  int result = adjtimex(&state);
  if (result < 0) return -errno;
  discipline->is_synchronized = result != TIME_ERROR && !(state.status & STA_UNSYNC);
  discipline->offset = state.status & STA_NANO ? state.offset : state.offset * INT64_C(1000);
  // The unit of `freq` is 2^-16 parts per million. `tick` is the number of microseconds by which the clock advances in 1/USER_HZ s.
  // chrony changes both values.
  discipline->frequency = (double)state.freq / 65536 + (double)state.tick * sysconf(_SC_CLK_TCK) - 1e6;
  discipline->estimated_error = state.esterror;
  discipline->maximum_error = state.maxerror;
  return 0;
}

int64_t realtime_thread_time(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
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

/// Makes the complete stack of the calling thread resident, and locks it if the kernel permits.
static void lock_stack(void) {
  pthread_attr_t attributes;
  void *lowest;
  size_t size;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return;
  if (pthread_attr_getstack(&attributes, &lowest, &size) == 0) {
    // Writes one octet of each page from here down to the guard page. The octet keeps its value.
    volatile char *octet = __builtin_frame_address(0);
    for (; octet > (char *)lowest; octet -= 4096) *octet = *octet;
    *(volatile char *)lowest = *(volatile char *)lowest;
    mlock(lowest, size);
  }
  pthread_attr_destroy(&attributes);
}

void realtime_prepare_thread(const char *name) {
  realtime_name_thread(name);
  lock_stack();
  prctl(PR_SET_TIMERSLACK, 1UL, 0, 0, 0);
  struct sched_param parameter;
  const int policy = sched_getscheduler(0);
  if ((policy == SCHED_FIFO || policy == SCHED_RR) && sched_getparam(0, &parameter) == 0)
    sched_setscheduler(0, policy | SCHED_RESET_ON_FORK, &parameter);
}

int realtime_disable_huge_pages(void) { return prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0); }

/// Whether real-time threads call functions of the library at `path`, or of the program itself if `path` is empty.
static int is_realtime_library(const char *path) {
  // The C and Swift run-time libraries; FluidSynth and its library OpenMP; libsodium for packets with a passkey; ALSA with its plugins,
  // and the client libraries of the sound servers, which the plugins call.
  static const char *const prefixes[] = {
      "ld-linux",      "libc.so", "libm.so",   "libgcc_s", "libswiftCore", "libswiftSynchronization",
      "libfluidsynth", "libgomp", "libsodium", "libasound", "libpulse",     "libpipewire", "libspa"};
  const char *slash = strrchr(path, '/');
  const char *name = slash ? slash + 1 : path;
  if (*name == 0) return 1;
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) return 1;
  return 0;
}

/// What is done with the segments of the libraries.
enum code_action { LOCK_REALTIME_CODE, RELEASE_OTHER_CODE };

/// Locks or releases pages, whose addresses are multiples of the page size.
static void act(enum code_action action, uintptr_t start, uintptr_t end, int is_realtime, int is_writable) {
  void *pages = (void *)start;
  if (action == LOCK_REALTIME_CODE) {
    // Other code is only read in advance. The kernel may drop it later. Reading in advance helps, because the client library of a sound
    // server has a thread without real-time priority. If this thread waits for the disk while playback begins, the wait causes underruns.
    if (!is_realtime || mlock(pages, end - start) != 0) madvise(pages, end - start, MADV_WILLNEED);
  } else if (!is_realtime && !is_writable) {
    // Pages that were only read are unchanged, so the kernel can read them again.
    munlock(pages, end - start);
    madvise(pages, end - start, MADV_DONTNEED);
  }
}

/// Applies an action to the segments of one library, or of the program. A callback of dl_iterate_phdr.
static int visit_library(struct dl_phdr_info *info, size_t size, void *action) {
  (void)size;
  const int is_realtime = is_realtime_library(info->dlpi_name), is_program = *info->dlpi_name == 0;
  const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
    if (segment->p_type != PT_LOAD) continue;
    const uintptr_t start = (info->dlpi_addr + segment->p_vaddr) & ~(page - 1);
    const uintptr_t end = (info->dlpi_addr + segment->p_vaddr + segment->p_memsz + page - 1) & ~(page - 1);
    const int is_writable = (segment->p_flags & PF_W) != 0;
    // The kernel's name of the vDSO contains no file, and its pages belong to the kernel.
    if (strncmp(info->dlpi_name, "linux-vdso", 10) == 0) continue;
    if (!is_program) {
      act(*(enum code_action *)action, start, end, is_realtime, is_writable);
      continue;
    }
    // The pages of the program, in runs of one kind.
    uintptr_t run = start;
    int kind = program_page_is_realtime(start - info->dlpi_addr);
    for (uintptr_t next = start + page; next <= end; next += page) {
      const int next_kind = next < end ? program_page_is_realtime(next - info->dlpi_addr) : !kind;
      if (next_kind == kind) continue;
      act(*(enum code_action *)action, run, next, kind || is_writable, is_writable);
      (run = next), (kind = next_kind);
    }
  }
  return 0;
}

void realtime_lock_code(void) { dl_iterate_phdr(visit_library, &(enum code_action){LOCK_REALTIME_CODE}); }

void realtime_release_other_code(void) { dl_iterate_phdr(visit_library, &(enum code_action){RELEASE_OTHER_CODE}); }

int realtime_can_lock(size_t bytes) {
  // Pages without access are never resident, so the test uses no memory.
  void *mapping = mmap(NULL, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_LOCKED, -1, 0);
  if (mapping == MAP_FAILED) return 0;
  munmap(mapping, bytes);
  return 1;
}

int64_t realtime_lock_limit(void) {
  struct rlimit limit;
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0 || limit.rlim_cur > INT64_MAX / 2) return -1;
  // A mapping that exceeds the limit shows whether the limit applies. In a user namespace, the capabilities do not show this.
  return realtime_can_lock(limit.rlim_cur + 1) ? -1 : (int64_t)limit.rlim_cur;
}

int realtime_join(pthread_t thread, int64_t deadline) {
  const struct timespec t = timespec_of(deadline);
  return pthread_clockjoin_np(thread, NULL, CLOCK_MONOTONIC, &t) == 0;
}

/// Whether the address is an IPv4-mapped IPv6 address, prefix ::ffff:0:0/96 (RFC 4291, section 2.5.5.2).
static int is_ipv4(struct realtime_address address) { return address.high == 0 && address.low >> 32 == 0xFFFF; }

/// Returns the IPv6 address of `address` in network order.
static struct in6_addr ipv6_of(struct realtime_address address) {
  const uint64_t halves[2] = {htobe64(address.high), htobe64(address.low)};
  struct in6_addr ipv6;
  memcpy(&ipv6, halves, sizeof ipv6);
  return ipv6;
}

/// Stores `ipv6` in `address`. The scope and the port do not change.
static void set_ipv6(struct realtime_address *address, const struct in6_addr *ipv6) {
  uint64_t halves[2];
  memcpy(halves, ipv6, sizeof halves);
  address->high = be64toh(halves[0]);
  address->low = be64toh(halves[1]);
}

/// Stores `ipv4` in `address` in the IPv4-mapped form; `high` must be 0. The scope and the port do not change.
static void set_ipv4(struct realtime_address *address, struct in_addr ipv4) {
  address->low = UINT64_C(0xFFFF) << 32 | ntohl(ipv4.s_addr);
}

int realtime_send(int fd, int is_dual_stack, const void *bytes, size_t count, struct realtime_address to,
                  struct realtime_address from) {
  union { struct sockaddr_in ipv4; struct sockaddr_in6 ipv6; } receiver = {0};
  struct iovec part = {.iov_base = (void *)bytes, .iov_len = count};
  struct msghdr message = {.msg_name = &receiver, .msg_iov = &part, .msg_iovlen = 1};
  union { char bytes[CMSG_SPACE(sizeof(struct in6_pktinfo))]; struct cmsghdr align; } control = {0};
  // The control message selects the source address without a separate system call (RFC 3542, section 6.2; ip(7)). On a
  // socket of family AF_INET6, the kernel takes an IPv4 source address in the IPv4-mapped form. The length does not include
  // the padding after the message (CMSG_LEN, not CMSG_SPACE): Linux allocates memory if the length exceeds 36 octets.
  if (from.high != 0 || from.low != 0) {
    message.msg_control = control.bytes;
    message.msg_controllen = is_dual_stack ? CMSG_LEN(sizeof(struct in6_pktinfo)) : CMSG_LEN(sizeof(struct in_pktinfo));
    control.align.cmsg_level = is_dual_stack ? IPPROTO_IPV6 : IPPROTO_IP;
    control.align.cmsg_type = is_dual_stack ? IPV6_PKTINFO : IP_PKTINFO;
  }
  if (is_dual_stack) {
    receiver.ipv6 = (struct sockaddr_in6){
        .sin6_family = AF_INET6, .sin6_port = htons(to.port), .sin6_scope_id = to.scope, .sin6_addr = ipv6_of(to)};
    message.msg_namelen = sizeof receiver.ipv6;
    const struct in6_pktinfo source = {.ipi6_addr = ipv6_of(from), .ipi6_ifindex = from.scope};
    control.align.cmsg_len = CMSG_LEN(sizeof source);
    memcpy(CMSG_DATA(&control.align), &source, sizeof source);
  } else {
    if (!is_ipv4(to)) return -EAFNOSUPPORT;
    receiver.ipv4 = (struct sockaddr_in){
        .sin_family = AF_INET, .sin_port = htons(to.port), .sin_addr.s_addr = htonl((uint32_t)to.low)};
    message.msg_namelen = sizeof receiver.ipv4;
    const struct in_pktinfo source = {.ipi_spec_dst.s_addr = htonl((uint32_t)from.low)};
    control.align.cmsg_len = CMSG_LEN(sizeof source);
    memcpy(CMSG_DATA(&control.align), &source, sizeof source);
  }
  for (;;) {
    if (sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return 0;
    if (errno != EINTR) return -errno;
  }
}

long realtime_receive(int fd, void *bytes, size_t capacity, struct realtime_address *from, struct realtime_address *to,
                      int64_t *stamp) {
  union { struct sockaddr any; struct sockaddr_in ipv4; struct sockaddr_in6 ipv6; } sender = {0};
  struct iovec part = {.iov_base = bytes, .iov_len = capacity};
  union { char bytes[256]; struct cmsghdr align; } control;
  struct msghdr message = {.msg_name = &sender, .msg_namelen = sizeof sender, .msg_iov = &part, .msg_iovlen = 1,
                           .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
  long got;
  do got = recvmsg(fd, &message, MSG_DONTWAIT | MSG_TRUNC);
  while (got < 0 && errno == EINTR);
  if (got < 0) return -errno;
  *from = *to = (struct realtime_address){0};
  if (sender.any.sa_family == AF_INET6) {
    set_ipv6(from, &sender.ipv6.sin6_addr);
    from->scope = sender.ipv6.sin6_scope_id;
    from->port = ntohs(sender.ipv6.sin6_port);
  } else {
    set_ipv4(from, sender.ipv4.sin_addr);
    from->port = ntohs(sender.ipv4.sin_port);
  }
  *stamp = 0;
  // The control messages that the options SO_TIMESTAMPNS, IP_PKTINFO and IPV6_RECVPKTINFO request.
  for (struct cmsghdr *c = CMSG_FIRSTHDR(&message); c; c = CMSG_NXTHDR(&message, c)) {
    if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
      struct timespec t;
      memcpy(&t, CMSG_DATA(c), sizeof t);
      *stamp = nanoseconds(t);
    } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
      struct in_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      // Not `ipi_addr`, which is the destination in the header and may be a broadcast address.
      set_ipv4(to, info.ipi_spec_dst);
    } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO && !is_ipv4(*from)) {
      struct in6_pktinfo info;
      memcpy(&info, CMSG_DATA(c), sizeof info);
      set_ipv6(to, &info.ipi6_addr);
      // Only a link-local address needs the index of its interface. Other addresses get no index, because the index changes
      // when the interface is connected again.
      if (IN6_IS_ADDR_LINKLOCAL(&info.ipi6_addr)) to->scope = info.ipi6_ifindex;
    }
  }
  return got;
}

int realtime_filter(int fd, int accepts_rtp) {
  // A program of the classic BPF (socket(7), SO_ATTACH_FILTER). It sees the UDP header, eight octets, and the payload.
  // If an instruction loads octets beyond the end of the datagram, the kernel drops the datagram. The mask C07F removes
  // the bits of an RTP header that may have any value: padding, extension, contributing sources and marker. With this
  // mask, the first two octets of an RTP packet with version 2 and payload type 97 are 80 61.
  struct sock_filter program[] = {
    BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 8),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0xFFFF, 2, 0),
    BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xC07F),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, accepts_rtp ? 0x8061 : 0xFFFF, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),
    BPF_STMT(BPF_RET | BPF_K, 0),
  };
  const struct sock_fprog filter = {.len = sizeof program / sizeof *program, .filter = program};
  return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &filter, sizeof filter) == 0 ? 0 : -errno;
}

uint32_t realtime_dropped(int fd) {
  uint32_t memory[SK_MEMINFO_VARS] = {0};
  socklen_t length = sizeof memory;
  return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, memory, &length) == 0 ? memory[SK_MEMINFO_DROPS] : 0;
}

int realtime_wait_readable(const int *fds, size_t count, int milliseconds) {
  struct pollfd polled[4];
  if (count > 4) count = 4;
  for (size_t n = 0; n < count; n++) polled[n] = (struct pollfd){.fd = fds[n], .events = POLLIN};
  if (poll(polled, count, milliseconds) <= 0) return 0;
  int mask = 0;
  for (size_t n = 0; n < count; n++) if (polled[n].revents) mask |= 1 << n;
  return mask;
}

int realtime_event_open(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

void realtime_event_signal(int fd) {
  // A write to an open eventfd fails only if the counter is at its maximum. The descriptor is readable then.
  uint64_t one = 1;
  (void)!write(fd, &one, sizeof one);
}

void realtime_event_clear(int fd) {
  uint64_t count;
  (void)!read(fd, &count, sizeof count);
}
