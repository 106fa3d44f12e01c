// rtpflood ADDRESS PORT SECONDS [RATE]
//
// An RTP-MIDI device that sends controllers to a peer for SECONDS, RATE events per second (10 000), one packet per millisecond.
// The controller is number 16 on channel 16, which no synthesizer hears. Prints "sent N".
#include <arpa/inet.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { TOKEN = 0x746f6b65, SSRC = 0x666c6f6f };

static int64_t now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * 1000000000LL + t.tv_nsec;
}

static uint8_t *word(uint8_t *at, uint32_t value) {
  value = htonl(value);
  memcpy(at, &value, 4);
  return at + 4;
}

// Sends an AppleMIDI command: IN begins the session on this port, BY ends it.
static void command(int socket, const char *name) {
  uint8_t packet[32] = {0xff, 0xff, name[0], name[1]};
  uint8_t *end = word(word(word(packet + 4, 2), TOKEN), SSRC);
  if (name[0] == 'I') end = (uint8_t *)stpcpy((char *)end, "rtpflood") + 1;
  send(socket, packet, end - packet, 0);
}

// Connects to `address` and begins the session on `port`. Returns the socket.
static int invite(const char *address, int port) {
  const struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = inet_addr(address)};
  const struct timeval second = {.tv_sec = 1};
  const int s = socket(AF_INET, SOCK_DGRAM, 0);
  setsockopt(s, SOL_SOCKET, SO_RCVTIMEO, &second, sizeof second);
  connect(s, (const struct sockaddr *)&to, sizeof to);
  for (int tries = 0; tries < 10; tries++) {
    uint8_t answer[256];
    command(s, "IN");
    if (recv(s, answer, sizeof answer, 0) >= 4 && memcmp(answer, "\xff\xffOK", 4) == 0) return s;
    sleep(1);
  }
  fprintf(stderr, "rtpflood: %s:%d: does not accept the invitation\n", address, port);
  exit(69);
}

int main(int argc, char **argv) {
  const double seconds = argc > 3 ? atof(argv[3]) : 0, rate = argc > 4 ? atof(argv[4]) : 10000;
  if (seconds <= 0 || rate <= 0 || rate > 100000)
    return fprintf(stderr, "usage: rtpflood ADDRESS PORT SECONDS [RATE]\n"), 64;
  const int control = invite(argv[1], atoi(argv[2])), data = invite(argv[1], atoi(argv[2]) + 1);
  const int64_t begin = now(), events = (int64_t)(seconds * rate);
  int64_t sent = 0;
  for (int64_t millisecond = 0; sent < events; millisecond++) {
    const int64_t at = begin + millisecond * 1000000;
    const struct timespec t = {.tv_sec = at / 1000000000, .tv_nsec = at % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) != 0) {}
    // RFC 3550 header, with a time stamp in units of 100 us. RFC 6295: a list with a length of 12 bits, no journal, and a
    // delta time of one octet before each command but the first.
    uint8_t packet[512] = {0x80, 0x61, millisecond >> 8, millisecond};
    uint8_t *list = word(word(packet + 4, millisecond * 10), SSRC) + 2, *end = list;
    for (; sent < events && sent < (millisecond + 1) * rate / 1000; sent++) {
      if (end > list) *end++ = 0;
      *end++ = 0xbf, *end++ = 16, *end++ = sent % 128;
    }
    list[-2] = 0x80 | (end - list) >> 8, list[-1] = end - list;
    send(data, packet, end - packet, 0);
  }
  command(control, "BY");
  printf("sent %lld\n", (long long)sent);
  return 0;
}
