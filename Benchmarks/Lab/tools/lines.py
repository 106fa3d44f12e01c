#!/usr/bin/env python3
"""lines.py ACTIONS TRACE AHEAD FIRST [WAV TRACE AHEAD]...: compares the notes of an instrument at several peers.

ACTIONS contains the instants of the actions in nanoseconds (printed by notes). The first TRACE is that of the player, whose clock is
ahead by AHEAD seconds. FIRST is the instant of the first frame of all recordings (printed by linkcap). Each WAV is the recording of
another peer, with its trace.

For each note, the line is the sixteenth note whose due time is nearest to its first frame, by the trace of the peer. Prints
- for each peer, the distance of the first frame from the due time of the line, in frames, as deviation from the median; it contains
  the steering of the follower's clock from the moment when the note is passed to the sound until the line,
- the number of notes, and of those that are on different lines or missing at one of the peers,
- the time from the action to the due time of its line, by the trace of the player, in milliseconds,
- the difference between the first frames of the same note at two peers, in microseconds.
"""
import statistics
import sys

from figures import fail, figures, trace
from hits import nearest, onsets

SIXTEENTH = 6  # ticks
SILENCE = 2_400  # frames before each note: 50 ms
SECOND = 1_000_000_000


def due(path, ahead):
    """The due times of the sixteenth notes in a trace, by the common clock, and the tick of each."""
    return {at - int(ahead) * SECOND: tick for tick, at in trace(path) if tick % SIXTEENTH == 0}


def main(actions_path, player_trace, player_ahead, first, *peers):
    actions = [int(line) for line in open(actions_path) if line.strip().isdigit()]
    lines = {tick: at for at, tick in due(player_trace, player_ahead).items()}
    found = []
    for wav, path, ahead in zip(peers[::3], peers[1::3], peers[2::3]):
        hits, rate, _ = onsets(wav, SILENCE)
        ticks = due(path, ahead)
        if not hits or not ticks:
            fail(f"{wav}: {len(hits)} notes and {len(ticks)} sixteenth notes; check that the peer played")
        ordered, notes, distances, repeated = sorted(ticks), {}, [], 0
        for hit in hits:
            instant = int(first) + hit * SECOND // rate
            if instant < actions[0]:
                continue  # a hit of the follower's own rhythm, which plays until the rhythm of the master arrives
            line = nearest(ordered, instant)
            repeated += ticks[line] in notes
            notes.setdefault(ticks[line], instant)
            distances.append((instant - line) * rate / SECOND)
        middle = statistics.median_low(distances)
        print(f"{wav.rsplit('/', 1)[-1]}: deviation from the line:", figures([abs(each - middle) for each in distances]),
              f"median={middle:.1f} repeated={repeated} frames")
        found.append(notes)
    everywhere = set.intersection(*(set(notes) for notes in found))
    somewhere = set.union(*(set(notes) for notes in found))
    print(f"notes={len(actions)} everywhere={len(everywhere)} different={len(somewhere) - len(everywhere)}")
    waits = []
    for tick in sorted(everywhere):
        before = [action for action in actions if action <= lines.get(tick, 0)]
        if not before:
            fail(f"tick {tick}: no action before it; check that the traces belong together")
        waits.append((lines[tick] - before[-1]) / 1e6)
    print("from the action to its line:", figures(waits), "ms")
    differences = [abs(found[0][tick] - other[tick]) / 1e3 for other in found[1:] for tick in everywhere]
    print("difference between the peers:", figures(differences), "us")


if __name__ == "__main__":
    words = sys.argv[1:]
    if len(words) < 10 or (len(words) - 4) % 3:
        sys.exit(__doc__)
    main(*words)
