// rtpflood ADDRESS PORT SECONDS [RATE]
//
// An RTP-MIDI device that sends controllers to a peer for SECONDS, RATE events per second (10 000), one packet per millisecond.
// The controller is number 16 on channel 16, which no synthesizer hears. Prints "sent N".
#include "rtpdevice.h"
#include "sequencer.h"

int main(int argc, char **argv) {
  const double seconds = argc > 3 ? atof(argv[3]) : 0, rate = argc > 4 ? atof(argv[4]) : 10000;
  if (seconds <= 0 || rate <= 0 || rate > 100000)
    return fprintf(stderr, "usage: rtpflood ADDRESS PORT SECONDS [RATE]\n"), 64;
  const struct device device = connect_device("rtpflood", 0x666c6f6f, argv[1], atoi(argv[2]));
  const int64_t begin = now(), events = (int64_t)(seconds * rate);
  int64_t sent = 0;
  for (int64_t millisecond = 0; sent < events; millisecond++) {
    sleep_until(begin + millisecond * 1000000);
    // RFC 6295: a list with a length of 12 bits, no journal, and a delta time of one octet before each command but the first.
    uint8_t packet[512], *list = rtp_header(&device, packet, millisecond, millisecond * 10) + 2, *end = list;
    for (; sent < events && sent < (millisecond + 1) * rate / 1000; sent++) {
      if (end > list) *end++ = 0;
      *end++ = 0xbf, *end++ = 16, *end++ = sent % 128;
    }
    list[-2] = 0x80 | (end - list) >> 8, list[-1] = end - list;
    send(device.data, packet, end - packet, 0);
  }
  command(&device, device.control, "BY");
  printf("sent %lld\n", (long long)sent);
  return 0;
}
