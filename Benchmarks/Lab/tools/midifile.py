#!/usr/bin/env python3
"""midifile.py sticks SECONDS FILE: writes a side stick on every eighth note at 120 BPM.
midifile.py ticks BPM SECONDS FILE: writes clock ticks, 24 per quarter note, as escaped octets F8.
midifile.py dense SEED FILE: writes 4000 channel messages of all kinds on all channels, 200 per second. At the end it writes
a Note Off for each held note and controller 64 at 0 for each pressed pedal, because a peer would send them for a player
that leaves.
midifile.py compare SENT RECORDED CHANNEL OTHER: compares the events of both files byte by byte, without times. The sent
events are first converted as a Tutti peer does whose player has CHANNEL, if a second player has channel OTHER. Prints the
number of events that change the instrument of the second player. Fails if the events differ.

Standard MIDI Files 1.0, 480 ticks per quarter note.
"""
import random
import struct
import sys

DIVISION = 480


def quantity(number):
    """A variable-length quantity."""
    octets = [number & 0x7F]
    while number := number >> 7:
        octets.append(number & 0x7F | 0x80)
    return bytes(reversed(octets))


def write(path, events, bpm=120):
    """One track of (ticks since the event before, octets)."""
    track = b"\x00\xff\x51\x03" + round(60e6 / bpm).to_bytes(3, "big")
    track += b"".join(quantity(delta) + octets for delta, octets in events) + b"\x00\xff\x2f\x00"
    with open(path, "wb") as file:
        file.write(b"MThd" + struct.pack(">IHHH", 6, 0, 1, DIVISION) + b"MTrk" + struct.pack(">I", len(track)) + track)


def sticks(seconds):
    eighth = DIVISION // 2
    for number in range(int(float(seconds) * 4)):
        yield (eighth // 2 if number else 0), bytes([0x99, 37, 127])
        yield eighth // 2, bytes([0x89, 37, 0])


def ticks(bpm, seconds):
    for number in range(int(float(seconds) * bpm / 60 * 24)):
        yield (DIVISION // 24 if number else 0), bytes([0xF7, 1, 0xF8])


def dense(seed):
    chance, held, pedals = random.Random(int(seed)), set(), set()
    for number in range(4000):
        # 0, 2 or more ticks after the previous event: chords and runs. 4.8 ticks are 5 ms.
        delta = chance.choice((0, 0, 2, 5, 17)) if number else 0
        channel, first, second = chance.randint(0, 15), chance.randint(0, 127), chance.randint(0, 127)
        kind = chance.choice((0x80, 0x80, 0x90, 0x90, 0x90, 0xA0, 0xB0, 0xB0, 0xC0, 0xD0, 0xE0))
        if kind == 0x90 and chance.random() < 0.4:
            second = 0
        if kind == 0xB0:
            first = chance.randint(0, 119)  # controllers from 120 on are channel mode messages
        if kind in (0x80, 0x90):
            (held.add if kind == 0x90 and second else held.discard)((channel, first))
        if kind == 0xB0 and first == 64:
            (pedals.add if second >= 64 else pedals.discard)(channel)
        yield delta, bytes([kind | channel, first] if kind in (0xC0, 0xD0) else [kind | channel, first, second])
    for channel, key in sorted(held):
        yield 5, bytes([0x80 | channel, key, chance.randint(0, 127)])
    for channel in sorted(pedals):
        yield 5, bytes([0xB0 | channel, 64, 0])


def read(path):
    """The channel messages of all tracks, in order."""
    with open(path, "rb") as file:
        data = file.read()
    events, at = [], 14
    while at + 8 <= len(data):
        end = at + 8 + struct.unpack(">I", data[at + 4 : at + 8])[0]
        at, status = at + 8, 0

        def number(at):
            value = 0
            while True:
                value, at = value << 7 | data[at] & 0x7F, at + 1
                if data[at - 1] < 0x80:
                    return value, at

        while at < end:
            _, at = number(at)
            if data[at] >= 0xF0:
                at += 2 if data[at] == 0xFF else 1
                length, at = number(at)
                at += length
                continue
            if data[at] >= 0x80:
                status, at = data[at], at + 1
            length = 1 if status & 0xE0 == 0xC0 else 2
            events.append(bytes([status]) + data[at : at + length])
            at += length
    return events


# The controllers that change the instrument of another player if they arrive on its channel (PlayingTogether.md).
SHAPING = {*range(1, 6), 8, 9, *range(12, 32), *range(70, 96), *range(102, 120)}


def shapes(event, channel):
    """Whether an event changes the instrument of the player on channel `channel` (1...16)."""
    return event[0] == 0xB0 | channel - 1 and event[1] in SHAPING


def on_own_channel(events, channel, other):
    """The events that are heard on the channel of a player: everything except drums. Expression on channel 1 is the
    activity of the player, and some controllers change the instrument of the player on channel `other`; these are
    omitted."""
    for event in events:
        if event[0] == 0xB0 and event[1] == 11 or shapes(event, other):
            continue
        yield event if event[0] & 0x0F == 9 else bytes([event[0] & 0xF0 | channel - 1]) + event[1:]


def compare(sent, recorded, channel, other):
    shaping = sum(shapes(event, int(other)) for event in read(sent))
    sent, recorded = list(on_own_channel(read(sent), int(channel), int(other))), read(recorded)
    print(f"sent={len(sent)} recorded={len(recorded)} shaping={shaping}")
    for number, (one, other) in enumerate(zip(sent, recorded)):
        if one != other:
            print(f"event {number}: sent {one.hex(' ')}, recorded {other.hex(' ')}")
            return 1
    return 0 if sent and len(sent) == len(recorded) else 1


if __name__ == "__main__":
    arguments = {"sticks": 2, "ticks": 3, "dense": 2, "compare": 4}
    if len(sys.argv) < 2 or len(sys.argv) != 2 + arguments.get(sys.argv[1], -1):
        sys.exit(__doc__)
    if sys.argv[1] == "compare":
        sys.exit(compare(*sys.argv[2:]))
    if sys.argv[1] == "ticks":
        write(sys.argv[4], ticks(float(sys.argv[2]), sys.argv[3]), float(sys.argv[2]))
        sys.exit()
    write(sys.argv[3], sticks(sys.argv[2]) if sys.argv[1] == "sticks" else dense(sys.argv[2]))
