// neighbour INTERFACE SECONDS RATE
//
// A hostile host on the network of some peers. It records all UDP datagrams to the ports 5004 and 5005 that reach INTERFACE, and
// sends RATE datagrams per second for SECONDS. Prints "recorded N sent M refused K". Needs root: it reads packets (packet(7)) and
// writes the source address of each datagram (raw(7), IP_HDRINCL).
//
// Nine of ten datagrams are recorded ones: unchanged, back to their sender, to the other port, to another peer, as if from another
// peer, without the last 16 octets, or with a changed bit. The others are forged with the addresses and the SSRC of a recorded
// one: BY, IN, CK0, a clock probe, a packet of the handshake, an RTP packet, or random octets.
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>

enum { kept = 4096, longest = 1472 };

struct datagram {
  struct iphdr ip;
  struct udphdr udp;
  uint8_t octets[longest];
} __attribute__((packed));

static struct datagram recorded[kept];
static uint64_t count;

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000000) + t.tv_nsec;
}

// SplitMix64 (Steele et al., 2014).
static uint64_t state = 1;
static uint64_t next(void) {
  uint64_t n = state += UINT64_C(0x9E3779B97F4A7C15);
  n = (n ^ n >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
  n = (n ^ n >> 27) * UINT64_C(0x94D049BB133111EB);
  return n ^ n >> 31;
}

static void put(uint8_t *at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, sizeof value);
}

static size_t length(const struct datagram *d) { return ntohs(d->udp.len) - sizeof d->udp; }

// Keeps all datagrams that have arrived. Later ones replace the oldest.
static void record(int file) {
  struct sockaddr_ll from;
  for (;;) {
    struct datagram *d = &recorded[count % kept];
    socklen_t size = sizeof from;
    const ssize_t read = recvfrom(file, d, sizeof *d, MSG_DONTWAIT, (struct sockaddr *)&from, &size);
    if (read < 0) return;
    const int port = ntohs(d->udp.dest);
    if (from.sll_pkttype == PACKET_OUTGOING || (size_t)read < sizeof d->ip + sizeof d->udp || d->ip.ihl != 5 ||
        d->ip.protocol != IPPROTO_UDP || (port != 5004 && port != 5005) || length(d) > longest)
      continue;
    count++;
  }
}

static const struct datagram *any(void) { return &recorded[next() % (count < kept ? count : kept)]; }

// Writes a datagram with the SSRC of a recorded one. Returns its length.
static size_t forge(uint8_t *octets, const uint8_t ssrc[4]) {
  for (size_t i = 0; i < 128; i += 8) {
    const uint64_t random = next();
    memcpy(octets + i, &random, 8);
  }
  switch (next() % 7) {
  case 0: return put(octets, 0xFFFF4259), put(octets + 4, 2), memcpy(octets + 12, ssrc, 4), 16;  // BY
  case 1: return put(octets, 0xFFFF494E), put(octets + 4, 2), memcpy(octets + 12, ssrc, 4), memcpy(octets + 16, "eve\0TPK\1", 8), 24;  // IN
  case 2: return put(octets, 0xFFFF434B), memcpy(octets + 4, ssrc, 4), put(octets + 8, 0), 36;  // CK0
  case 3: return put(octets, 0xFFFF5455), put(octets + 4, 0x03000000), memcpy(octets + 8, ssrc, 4), 44;  // probe
  case 4: return put(octets, 0xFFFF5448), put(octets + 4, 0x01010000 + (next() % 3 << 16)), memcpy(octets + 8, ssrc, 4), 68;  // handshake
  case 5: return put(octets, 0x80610000 | (uint32_t)(next() & 0xFFFF)), memcpy(octets + 8, ssrc, 4), 60;  // RTP
  default: return 1 + next() % 128;
  }
}

static void change(struct datagram *d) {
  const in_addr_t source = d->ip.saddr;
  const uint16_t port = d->udp.source;
  switch (next() % 10) {
  case 0: case 1: return;
  case 2: d->ip.saddr = d->ip.daddr, d->ip.daddr = source, d->udp.source = d->udp.dest, d->udp.dest = port; return;
  case 3: d->udp.dest = htons(ntohs(d->udp.dest) ^ 1), d->udp.source = htons(ntohs(d->udp.source) ^ 1); return;
  case 4: d->ip.daddr = any()->ip.daddr; return;
  case 5: d->ip.saddr = any()->ip.saddr; return;
  case 6:
    if (length(d) > 16) d->udp.len = htons(ntohs(d->udp.len) - 16);
    return;
  case 7: case 8:
    if (length(d) > 0) d->octets[next() % length(d)] ^= 1 << next() % 8;
    return;
  default: {
    uint8_t ssrc[4];
    memcpy(ssrc, d->octets + 8, 4);
    d->udp.len = htons(sizeof d->udp + forge(d->octets, ssrc));
  }
  }
}

int main(int argc, char **argv) {
  const double seconds = argc > 2 ? atof(argv[2]) : 0, rate = argc > 3 ? atof(argv[3]) : 0;
  if (argc != 4 || seconds <= 0 || rate <= 0) return fprintf(stderr, "usage: neighbour INTERFACE SECONDS RATE\n"), 64;
  const int in = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP)), out = socket(AF_INET, SOCK_RAW, IPPROTO_RAW);
  struct sockaddr_ll link = {.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = if_nametoindex(argv[1])};
  const struct packet_mreq all = {.mr_ifindex = link.sll_ifindex, .mr_type = PACKET_MR_PROMISC};
  const int room = 8 << 20;
  if (in < 0 || out < 0 || bind(in, (struct sockaddr *)&link, sizeof link) < 0 ||
      setsockopt(in, SOL_PACKET, PACKET_ADD_MEMBERSHIP, &all, sizeof all) < 0)
    return fprintf(stderr, "neighbour: %s: %s; run it as root\n", argv[1], strerror(errno)), 69;
  setsockopt(in, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof room);

  uint64_t sent = 0, refused = 0;
  const int64_t start = now(), end = start + (int64_t)(seconds * 1e9);
  for (int64_t n = 0; now() < end; n++) {
    record(in);
    // Datagram n is due at start + n / rate. A sender that is late does not send faster afterwards.
    const int64_t due = start + (int64_t)((double)n * 1e9 / rate);
    const int64_t wait = due - now();
    if (wait > 0) nanosleep(&(struct timespec){wait / 1000000000, wait % 1000000000}, NULL);
    if (count == 0) continue;
    struct datagram d = *any();
    change(&d);
    if (d.ip.saddr == d.ip.daddr) continue;
    const size_t size = sizeof d.ip + sizeof d.udp + length(&d);
    d.ip.tot_len = htons(size), d.ip.id = 0, d.ip.check = 0, d.udp.check = 0, d.ip.frag_off = 0;
    const struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = d.ip.daddr};
    if (sendto(out, &d, size, 0, (const struct sockaddr *)&to, sizeof to) < 0) refused++; else sent++;
  }
  printf("recorded %llu sent %llu refused %llu\n", (unsigned long long)count, (unsigned long long)sent, (unsigned long long)refused);
  return 0;
}
