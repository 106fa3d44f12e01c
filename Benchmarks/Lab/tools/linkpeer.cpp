// linkpeer SECONDS BPM
//
// One Ableton Link peer, the reference for measurements. Joins a session at once. For SECONDS it prints its timeline every
// 10 ms as "MICROSECOND BEAT TEMPO PEERS", at the multiples of 10 ms of Link's clock, CLOCK_MONOTONIC_RAW. Time namespaces
// shift this clock like CLOCK_MONOTONIC. The lines of two peers whose clocks differ by whole seconds therefore belong to the
// same instants.
//
// Link has the licence GPL-2+. This program is only a measuring tool; no part of Tutti is built with it.
// tools/build-linkpeer compiles it.
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
    // Sleep slightly longer, so that no instant of the grid is printed twice.
    std::this_thread::sleep_for(next - now + microseconds(500));
  }
  return 0;
}
