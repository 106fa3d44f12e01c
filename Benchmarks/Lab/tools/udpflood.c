// udpflood ADDRESS PORT SECONDS [SOURCES]
//
// Sends datagrams to the control port PORT and the data port PORT + 1 of a peer for SECONDS, as fast as one processor can.
// Prints "sent N refused M". Needs root: it writes the source address of each datagram (raw(7), IP_HDRINCL).
//
// The four kinds alternate, each on both ports: random octets, RTP-MIDI packets, invitations (IN), and clock packets (CK and
// the probes of Tutti). The sources are addresses in 10.98.0.0/16 with any port and SSRC. With SOURCES, there are so many of
// them, and each repeats its datagrams. Without SOURCES, every datagram has another source.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { batch = 32, longest = 128 };

struct datagram {
  struct iphdr ip;
  struct udphdr udp;
  uint8_t octets[longest];
} __attribute__((packed));

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// The finaliser of SplitMix64 (Steele et al., 2014): a random number for each `n`.
static uint64_t mix(uint64_t n) {
  n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
  return n ^ n >> 31;
}
static uint64_t state;
static uint64_t next(void) { return mix(state += UINT64_C(0x9E3779B97F4A7C15)); }

static void put(uint8_t *at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, sizeof value);
}

// Writes datagram `n` of `kind` 0...3 from `source`, and returns the length of its payload.
static size_t write_payload(uint8_t *octets, int kind, uint64_t n, uint64_t source) {
  const uint32_t ssrc = (uint32_t)(source >> 32);
  for (size_t i = 0; i < longest; i += 8) {
    const uint64_t random = next();
    memcpy(octets + i, &random, 8);
  }
  switch (kind) {
  case 0: return 1 + next() % longest;
  case 1:  // Version 2, payload type 97, sequence number and time stamp; one Timing Clock without a journal.
    put(octets, 0x80610000 | (n & 0xFFFF)), put(octets + 4, (uint32_t)(n * 10)), put(octets + 8, ssrc);
    octets[12] = 1, octets[13] = 0xF8;
    return 14;
  case 2:  // IN with the name "flood".
    put(octets, 0xFFFF494E), put(octets + 4, 2), put(octets + 8, ssrc ^ 0x5A5A5A5A), put(octets + 12, ssrc);
    memcpy(octets + 16, "flood", 6);
    return 22;
  default:
    if (n & 8) {  // CK0
      put(octets, 0xFFFF434B), put(octets + 4, ssrc), put(octets + 8, 0);
      return 36;
    }
    put(octets, 0xFFFF5455), put(octets + 4, 0x03000000), put(octets + 8, ssrc);  // A request of a Tutti peer.
    return 44;
  }
}

int main(int argc, char **argv) {
  const char *me = "udpflood";
  struct sockaddr_in to = {.sin_family = AF_INET};
  const int port = argc > 2 ? atoi(argv[2]) : 0;
  const double seconds = argc > 3 ? atof(argv[3]) : 0;
  const uint64_t sources = argc > 4 ? strtoull(argv[4], NULL, 10) : 0;
  if (argc < 4 || inet_pton(AF_INET, argv[1], &to.sin_addr) != 1 || port <= 0 || port > 65534 || seconds <= 0)
    return fprintf(stderr, "usage: udpflood ADDRESS PORT SECONDS [SOURCES]\n"), 64;
  const int file = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
  if (file < 0) return fprintf(stderr, "%s: raw socket: %s; run it as root\n", me, strerror(errno)), 69;

  static struct datagram datagrams[batch];
  static struct mmsghdr messages[batch];
  static struct iovec parts[batch];
  uint64_t sent = 0, refused = 0, n = 0;
  for (const int64_t end = now() + (int64_t)(seconds * 1e9); now() < end;) {
    for (int i = 0; i < batch; i++, n++) {
      struct datagram *d = &datagrams[i];
      const uint64_t source = mix((sources ? next() % sources : n) + 1);
      const size_t count = write_payload(d->octets, n & 3, n, source);
      const size_t length = sizeof d->ip + sizeof d->udp + count;
      // The kernel sets the checksum and, because it is 0, the identification. A UDP checksum of 0 means "none".
      d->ip = (struct iphdr){.version = 4, .ihl = 5, .tot_len = htons(length), .ttl = 64, .protocol = IPPROTO_UDP,
                             .saddr = htonl(0x0A620000 | (source & 0xFFFF)), .daddr = to.sin_addr.s_addr};
      d->udp = (struct udphdr){.source = htons(1024 + (source >> 16) % 60000), .dest = htons(port + (n >> 2 & 1)),
                               .len = htons(sizeof d->udp + count)};
      parts[i] = (struct iovec){d, length};
      messages[i].msg_hdr = (struct msghdr){
          .msg_name = &to, .msg_namelen = sizeof to, .msg_iov = &parts[i], .msg_iovlen = 1};
    }
    for (int i = 0; i < batch;) {
      const int count = sendmmsg(file, messages + i, batch - i, 0);
      if (count > 0) sent += count, i += count;
      else refused++, i++;
    }
  }
  printf("sent %llu refused %llu\n", (unsigned long long)sent, (unsigned long long)refused);
  return 0;
}
