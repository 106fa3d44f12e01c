// The network side of the RTP-MIDI devices of the lab: AppleMIDI invitations, comparison of the clocks, and RTP headers.
#include <arpa/inet.h>
#include <endian.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

// A device: its name and SSRC, and the sockets that are connected to the control port and the data port of a peer.
struct device {
  const char *name;
  uint32_t ssrc;
  int control, data;
};

static inline uint8_t *word(uint8_t *at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, 4);
  return at + 4;
}

// Sends an AppleMIDI command: IN begins the session on this port, BY ends it.
static inline void command(const struct device *device, int socket, const char *name) {
  uint8_t packet[64] = {0xff, 0xff, name[0], name[1]};
  uint8_t *end = word(word(word(packet + 4, 2), 0x746f6b65), device->ssrc);
  if (name[0] == 'I') end = (uint8_t *)stpcpy((char *)end, device->name) + 1;
  send(socket, packet, end - packet, 0);
}

// Begins the session on `port` of `address`. Returns the socket.
static inline int invite(const struct device *device, const char *address, int port) {
  const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(address)};
  const struct timeval second = {.tv_sec = 1};
  const int s = socket(AF_INET, SOCK_DGRAM, 0);
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  connect(s, (const struct sockaddr *)&to, sizeof to);
  for (int tries = 0; tries < 10; tries++) {
    uint8_t answer[256];
    command(device, s, "IN");
    if (recv(s, answer, sizeof answer, 0) >= 4 && memcmp(answer, "\xff\xffOK", 4) == 0) return s;
    sleep(1);
  }
  fprintf(stderr, "%s: %s:%d: does not accept the invitation\n", device->name, address, port);
  exit(69);
}

// The time in units of 100 us, as in the stamps of CK and RTP packets.
static inline uint64_t device_clock(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 10000ull + t.tv_nsec / 100000;
}

// Compares the clocks as the initiator of a session does: CK0, the answer CK1, CK2. A peer admits the messages of a device only
// after it has answered CK1, because this proves that the device receives at its address.
static inline void synchronize(const struct device *device) {
  uint8_t packet[256];
  for (int tries = 0; tries < 10; tries++) {
    uint64_t stamps[3] = {htobe64(device_clock())};
    uint8_t request[36] = {0xff, 0xff, 'C', 'K'};
    word(request + 4, device->ssrc);
    memcpy(request + 12, stamps, sizeof stamps);
    send(device->data, request, sizeof request, 0);
    ssize_t size;
    while ((size = recv(device->data, packet, sizeof packet, 0)) >= 0) {
      // Other packets are those of Tutti, which tests whether the device is a Tutti peer.
      if (size != 36 || memcmp(packet, "\xff\xff" "CK", 4) != 0 || packet[8] != 1) continue;
      memcpy(stamps, packet + 12, sizeof stamps);
      stamps[2] = htobe64(device_clock());
      request[8] = 2;
      memcpy(request + 12, stamps, sizeof stamps);
      send(device->data, request, sizeof request, 0);
      return;
    }
  }
  fprintf(stderr, "%s: the peer does not answer CK0\n", device->name);
  exit(69);
}

// Begins a session with the peer whose control port is `port`, and compares the clocks.
static inline struct device connect_device(const char *name, uint32_t ssrc, const char *address, int port) {
  struct device device = {.name = name, .ssrc = ssrc};
  device.control = invite(&device, address, port);
  device.data = invite(&device, address, port + 1);
  synchronize(&device);
  return device;
}

// Writes the header of an RTP packet (RFC 3550). `stamp` is in units of 100 us. Returns its end.
static inline uint8_t *rtp_header(const struct device *device, uint8_t *packet, uint16_t sequence, uint32_t stamp) {
  packet[0] = 0x80, packet[1] = 0x61, packet[2] = sequence >> 8, packet[3] = sequence;
  return word(word(packet + 4, stamp), device->ssrc);
}
