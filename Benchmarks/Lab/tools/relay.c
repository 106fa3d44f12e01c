// relay MEAN SD LOSS SEED PORT...
//
// A network between two hosts, in user space: relays the UDP datagrams of each PORT between 10.98.1.1 and 10.98.2.2. A host
// sends to 10.98.1.254 or 10.98.2.254, the addresses of this program, which sends on from the other address and the same port.
// Each datagram is delayed by N(MEAN, SD) microseconds, at least 0, and lost with a probability of LOSS percent. The delay lies
// outside the kernel's path of both hosts: no time stamp of a host, for transmission or reception, contains it.
//
// The lateness of this program adds to the delay. It runs with SCHED_FIFO if it may.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <math.h>
#include <poll.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PORTS = 8, QUEUE = 4096, SIZE = 2048 };

static uint64_t state;

// A uniform random number in (0, 1] by SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
static double uniform(void) {
  uint64_t z = state += 0x9e3779b97f4a7c15;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return ((z ^ z >> 31) >> 11) * 0x1p-53 + 0x1p-53;
}

// A standard normal random number by the Box-Muller transform.
static double normal(void) { return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform()); }

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static struct sockaddr_in address(const char *host, int port) {
  struct sockaddr_in a = {.sin_family = AF_INET, .sin_port = htons(port)};
  inet_pton(AF_INET, host, &a.sin_addr);
  return a;
}

// A datagram that waits until `due`. It is sent by socket `by`.
struct waiting { int64_t due; int by; ssize_t size; unsigned char data[SIZE]; };
static struct waiting queue[QUEUE];
static int queued;

int main(int argc, char **argv) {
  const int ports = argc - 5;
  if (ports < 1 || ports > PORTS) return fprintf(stderr, "usage: relay MEAN SD LOSS SEED PORT...\n"), 64;
  const double mean = atof(argv[1]), sd = atof(argv[2]), loss = atof(argv[3]) / 100;
  state = strtoull(argv[4], NULL, 10);
  const struct sched_param p = {.sched_priority = 85};
  if (sched_setscheduler(0, SCHED_FIFO, &p) < 0) fprintf(stderr, "relay: SCHED_FIFO: permission denied; run it as root\n");

  // Sockets 2n and 2n + 1 face hosts 1 and 2. The peer of a socket is the last sender, because a client has any port.
  struct pollfd fds[2 * PORTS];
  struct sockaddr_in peers[2 * PORTS];
  for (int i = 0; i < 2 * ports; i++) {
    const int port = atoi(argv[5 + i / 2]);
    const struct sockaddr_in own = address(i % 2 ? "10.98.2.254" : "10.98.1.254", port);
    peers[i] = address(i % 2 ? "10.98.2.2" : "10.98.1.1", port);
    fds[i] = (struct pollfd){.fd = socket(AF_INET, SOCK_DGRAM | SOCK_NONBLOCK, 0), .events = POLLIN};
    if (fds[i].fd < 0 || bind(fds[i].fd, (const struct sockaddr *)&own, sizeof own) < 0) return perror("relay"), 69;
  }
  for (;;) {
    int first = -1;
    for (int i = 0; i < queued; i++)
      if (first < 0 || queue[i].due < queue[first].due) first = i;
    const int64_t t = now();
    if (first >= 0 && queue[first].due <= t) {
      const struct waiting *w = &queue[first];
      sendto(fds[w->by].fd, w->data, w->size, 0, (const struct sockaddr *)&peers[w->by], sizeof peers[0]);
      queue[first] = queue[--queued];
      continue;
    }
    const int64_t rest = first < 0 ? 1000000000 : queue[first].due - t;
    const struct timespec wait = {.tv_sec = rest / 1000000000, .tv_nsec = rest % 1000000000};
    if (ppoll(fds, 2 * ports, &wait, NULL) <= 0) continue;
    const int64_t arrived = now();
    for (int i = 0; i < 2 * ports; i++) {
      if (!(fds[i].revents & POLLIN) || queued == QUEUE) continue;
      socklen_t length = sizeof peers[i];
      struct waiting *w = &queue[queued];
      w->size = recvfrom(fds[i].fd, w->data, SIZE, 0, (struct sockaddr *)&peers[i], &length);
      if (w->size < 0 || uniform() <= loss) continue;
      const double delay = mean + sd * normal();
      w->due = arrived + (int64_t)(1000 * (delay > 0 ? delay : 0));
      w->by = i ^ 1;
      queued++;
    }
  }
}
