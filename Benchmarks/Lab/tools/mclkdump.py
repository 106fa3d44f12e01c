#!/usr/bin/env python3
"""mclkdump.py DUMP STAMPS: reads the output of `jack_mclk_dump --newline` at 48 kHz.

Writes the stamps of the ticks to STAMPS, in seconds, one per line. Prints the tempo of jack_mclk_dump in BPM (the mean of its
filtered tempo in the last ten seconds) and the standard deviation of the intervals that it prints, in microseconds.
"""
import re
import statistics
import sys

from figures import fail

RATE = 48000
TICK = re.compile(r"CLK cur: +([\d.?]+)\[BPM\] flt: +([\d.?]+)\[BPM\] +dt: +(\d+|\?\?)\[sm\].*@ (\d+)")


def main(dump, stamps):
    with open(dump) as file:
        ticks = [match.groups() for match in map(TICK.search, file) if match]
    if len(ticks) < 100:
        fail(f"{dump}: {len(ticks)} ticks; check the connection of jack_mclk_dump")
    frames = [int(tick[3]) for tick in ticks]
    with open(stamps, "w") as file:
        file.writelines(f"{frame / RATE:.9f}\n" for frame in frames)
    filtered = [float(tick[1]) for tick, frame in zip(ticks, frames) if frame >= frames[-1] - 10 * RATE]
    intervals = [int(tick[2]) * 1e6 / RATE for tick in ticks[1:]]
    print(f"tempo_bpm={statistics.mean(filtered):.4f} interval_sd_us={statistics.stdev(intervals):.4f} ticks={len(ticks)}")


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2])
