#!/usr/bin/env python3
"""scorehits.py TRACE AHEAD [TRACE AHEAD]...: compares the onsets of peers that play one score.

A TRACE is that of a peer whose clock is ahead by AHEAD seconds. An onset is the instant of the first frame of the first sound of a step. The
program prints the greatest distance of an onset from its own due time, and the greatest distance between the same onset at two peers, in
frames of 48 kHz, and for each peer the number of onsets, of those that another peer plays at no time within 20 ms, and of those before the
first onset that all peers play.
"""
import bisect
import json
import sys

FRAME = 1e9 / 48_000
NEAR = 20_000_000  # nanoseconds


def hits(path, ahead):
    found = []
    with open(path) as file:
        for line in file:
            if '"hit"' not in line:
                continue
            try:
                members = json.loads(line)
            except ValueError:
                continue  # the last line of a peer that was killed
            if "hit" in members and members.get("first_frame") is not None:
                found.append((members["first_frame"] - ahead, members["hit"] - ahead))
    return sorted(found)


def main(words):
    peers = [hits(path, int(ahead) * 1_000_000_000) for path, ahead in zip(words[::2], words[1::2])]
    own = max((abs(first - due) for peer in peers for first, due in peer), default=0) / FRAME
    worst, single = 0.0, 0
    for a, one in enumerate(peers):
        for other in peers[a + 1:]:
            begins = [first for first, _ in other]
            if not begins:
                continue
            for first, _ in one:
                if not begins[0] - NEAR < first < begins[-1] + NEAR:
                    continue
                place = bisect.bisect(begins, first)
                near = min(begins[max(0, place - 1): place + 1], key=lambda each: abs(each - first))
                if abs(near - first) > NEAR:
                    single += 1
                else:
                    worst = max(worst, abs(near - first) / FRAME)
    counts = ",".join(str(len(peer)) for peer in peers)
    print(f"own={own:.2f} between={worst:.2f} single={single} counts={counts}")


if __name__ == "__main__":
    if len(sys.argv) < 3 or len(sys.argv) % 2 == 0:
        sys.exit(__doc__)
    main(sys.argv[1:])
