// linkpeer SECONDS BPM
//
// One Ableton Link peer, what Tutti is measured against. Joins whoever is there at once, and from then on, for SECONDS,
// prints where its timeline stands, "MICROSECOND BEAT TEMPO PEERS", every 10 ms: at the multiples of 10 ms of Link's
// clock, CLOCK_MONOTONIC_RAW, which time namespaces shift as they do CLOCK_MONOTONIC. So the lines of two peers that
// are ahead by whole seconds are of the same instants.
//
// Link is GPL-2+: this is a measuring tool, and no part of Tutti is built with it. tools/build-linkpeer compiles it.
#include <ableton/Link.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

int main(int argc, char **argv) {
  using std::chrono::microseconds;
  const double seconds = argc == 3 ? std::atof(argv[1]) : 0, bpm = argc == 3 ? std::atof(argv[2]) : 0;
  if (!(seconds > 0 && bpm >= 20 && bpm <= 999)) {
    std::fprintf(stderr, "usage: linkpeer SECONDS BPM\n");
    return 64;
  }
  const double quantum = 4;
  const microseconds grid(10000);
  ableton::Link link(bpm);
  link.enable(true);
  const auto clock = link.clock();
  const auto end = clock.micros() + microseconds(static_cast<long long>(seconds * 1e6));
  for (auto now = clock.micros(); now < end; now = clock.micros()) {
    const auto state = link.captureAppSessionState();
    const auto next = (now / grid + 1) * grid;
    std::printf("%lld %.9f %.4f %zu\n", static_cast<long long>(next.count()), state.beatAtTime(next, quantum),
                state.tempo(), link.numPeers());
    // A little beyond it, so that no instant of the grid is told twice.
    std::this_thread::sleep_for(next - now + microseconds(500));
  }
  return 0;
}
