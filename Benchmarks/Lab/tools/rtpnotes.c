// rtpnotes NAMESPACE INTERFACE ADDRESS PORT COUNT
//
// An RTP-MIDI device in a network namespace that sends COUNT side sticks to a peer, at the instants of notes.h. The peer is in the
// namespace of the caller, which receives the packets of the device at INTERFACE.
//
// Prints "stamp error below X us", then two numbers for each Note On, in nanoseconds of CLOCK_MONOTONIC: the kernel time stamp of
// the arrival of its packet at INTERFACE, and the instant directly before the packet was sent.
#define _GNU_SOURCE
#include <fcntl.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <netinet/udp.h>

#include "notes.h"
#include "rtpdevice.h"
#include "sequencer.h"

// Opens a packet socket that receives all IPv4 packets at an interface, with kernel time stamps.
static int open_capture(const char *interface) {
  const struct sockaddr_ll at = {
    .sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_IP), .sll_ifindex = if_nametoindex(interface)};
  const struct timeval second = {.tv_sec = 1};
  const int on = 1, s = socket(AF_PACKET, SOCK_DGRAM, htons(ETH_P_IP));
  setsockopt(s, SOL_SOCKET, SO_TIMESTAMPNS, &on, sizeof on);
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  if (s >= 0 && at.sll_ifindex && bind(s, (const struct sockaddr *)&at, sizeof at) == 0) return s;
  perror(interface);
  exit(69);
}

// CLOCK_REALTIME minus CLOCK_MONOTONIC, and its maximum error.
struct difference { int64_t value, margin; };

static struct difference compare_clocks(void) {
  struct difference best = {0, INT64_MAX};
  for (int reading = 0; reading < 5 && best.margin > 1000; reading++) {
    struct timespec t;
    const int64_t before = now();
    clock_gettime(CLOCK_REALTIME, &t);
    const int64_t half = (now() - before) / 2;
    if (half < best.margin) best = (struct difference){nanoseconds(t) - before - half, half};
  }
  return best;
}

// Waits for the UDP packet with this payload. Returns its kernel time stamp in CLOCK_REALTIME; 0 if it does not arrive in a second.
static int64_t await_arrival(int capture, const uint8_t *payload, int length) {
  for (;;) {
    uint8_t packet[2048], control[256];
    struct iovec data = {packet, sizeof packet};
    struct msghdr message = {.msg_iov = &data, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
    const ssize_t size = recvmsg(capture, &message, 0);
    if (size < 0) return 0;
    const int start = (packet[0] & 15) * 4 + (int)sizeof(struct udphdr);
    if (packet[9] != IPPROTO_UDP || size < start + length || memcmp(packet + start, payload, length) != 0) continue;
    for (struct cmsghdr *each = CMSG_FIRSTHDR(&message); each; each = CMSG_NXTHDR(&message, each)) {
      struct timespec t;
      if (each->cmsg_level != SOL_SOCKET || each->cmsg_type != SCM_TIMESTAMPNS) continue;
      memcpy(&t, CMSG_DATA(each), sizeof t);
      return nanoseconds(t);
    }
  }
}

int main(int argc, char **argv) {
  const int count = argc == 6 ? atoi(argv[5]) : 0;
  if (count <= 0) return fprintf(stderr, "usage: rtpnotes NAMESPACE INTERFACE ADDRESS PORT COUNT\n"), 64;
  realtime("rtpnotes", 75);
  const int capture = open_capture(argv[2]);
  char path[256];
  snprintf(path, sizeof path, "/run/netns/%s", argv[1]);
  if (setns(open(path, O_RDONLY), CLONE_NEWNET) != 0) return perror(path), 69;
  const struct device device = connect_device("rtpnotes", 0x6e6f7465, argv[3], atoi(argv[4]));

  int64_t(*stamps)[2] = calloc(count, sizeof *stamps), margin = 0;
  if (!stamps) return perror("rtpnotes"), 71;
  uint16_t sequence = 0;
  const int64_t begin = now() + 100000000;
  for (int64_t n = 0; n < count; n++) {
    const int64_t at = note_instant(begin, n);
    // RFC 6295: the length of the list, and the list: Note On, or Note Off and All Sound Off with a delta time of 0 between them.
    uint8_t on[64], off[64];
    uint8_t *on_end = rtp_header(&device, on, sequence++, (at - begin) / 100000);
    on_end = mempcpy(on_end, "\x03\x99\x25\x7f", 4);
    uint8_t *off_end = rtp_header(&device, off, sequence++, (at + NOTE_LENGTH - begin) / 100000);
    off_end = mempcpy(off_end, "\x07\x99\x25\x00\x00\xb9\x78\x00", 8);
    sleep_until(at);
    stamps[n][1] = now();
    send(device.data, on, on_end - on, 0);
    const int64_t arrival = await_arrival(capture, on, on_end - on);
    if (arrival == 0) return fprintf(stderr, "rtpnotes: a packet did not arrive at %s\n", argv[2]), 69;
    const struct difference clocks = compare_clocks();
    if (clocks.margin > margin) margin = clocks.margin;
    stamps[n][0] = arrival - clocks.value;
    sleep_until(at + NOTE_LENGTH);
    send(device.data, off, off_end - off, 0);
  }
  // The sound of the last note.
  sleep_until(now() + SILENCE);
  command(&device, device.control, "BY");
  printf("stamp error below %.1f us\n", margin / 1e3);
  for (int n = 0; n < count; n++) printf("%lld %lld\n", (long long)stamps[n][0], (long long)stamps[n][1]);
  return 0;
}
