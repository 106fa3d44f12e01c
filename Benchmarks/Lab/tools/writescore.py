#!/usr/bin/env python3
"""writescore.py FILE [OCTETS]: writes a score in MusicXML whose onsets can be measured: one eighth note after another.

It has a pick-up, changes of the metre between 4/4, 3/4 and 7/8, a repeat, a ritardando over two bars with a new tempo after it, and another
ritardando before the end. It lasts about a minute. With OCTETS, the score has four parts of random notes instead, with so many bars that
the file has this length when it is compressed.
"""
import random
import sys
import zlib

METRES = [(4, 4), (3, 4), (7, 8)]
STEPS = "CDEFGABC"


def measure(number, beats, unit, changes):
    eighths = beats * 8 // unit
    parts = [f'<measure number="{number}"' + (' implicit="yes">' if number == 0 else ">")]
    if number == 0:
        parts.append("<attributes><divisions>2</divisions><time><beats>4</beats><beat-type>4</beat-type></time></attributes>")
    elif changes:
        parts.append(f"<attributes><time><beats>{beats}</beats><beat-type>{unit}</beat-type></time></attributes>")
    words = {0: ("Lively", 132), 12: ("rit.", None), 14: ("Calm", 96), 20: ("Lively", 144), 30: ("rit.", None)}
    if number in words:
        text, tempo = words[number]
        sound = f'<sound tempo="{tempo}"/>' if tempo else ""
        parts.append(f"<direction><direction-type><words>{text}</words></direction-type>{sound}</direction>")
    if number == 5:
        parts.append('<barline location="left"><repeat direction="forward"/></barline>')
    for index in range(eighths if number else 1):
        parts.append(
            f"<note><pitch><step>{STEPS[index % 8]}</step><octave>{5 + (index % 8 == 7)}</octave></pitch><duration>1</duration>"
            "<notations><articulations><staccato/></articulations></notations></note>")
    if number == 8:
        parts.append('<barline location="right"><repeat direction="backward"/></barline>')
    return "".join(parts) + "</measure>"


def score(parts):
    """The text of a score: a name and the measures for each part."""
    names = "".join(
        f'<score-part id="P{n}"><part-name>{name}</part-name><score-instrument id="I{n}"><instrument-name>{name}</instrument-name>'
        f'</score-instrument><midi-instrument id="I{n}"><midi-program>{program}</midi-program></midi-instrument></score-part>'
        for n, (name, program, _) in enumerate(parts))
    bodies = "".join(f'<part id="P{n}">{"".join(measures)}</part>' for n, (_, _, measures) in enumerate(parts))
    return f'<?xml version="1.0"?><score-partwise version="4.0"><part-list>{names}</part-list>{bodies}</score-partwise>'


def long_score(octets):
    """A score that has at least `octets` octets when it is compressed."""
    source = random.Random(1)
    parts = [(name, 41, []) for name in ("Violin 1", "Violin 2", "Viola", "Cello")]
    text = ""
    while len(zlib.compress(text.encode())) < octets:
        for _, _, measures in parts:
            for number in range(len(measures) + 1, len(measures) + 9):
                notes = "".join(
                    f"<note><pitch><step>{source.choice('CDEFGAB')}</step><octave>{source.randint(3, 5)}</octave></pitch>"
                    "<duration>1</duration></note>" for _ in range(8))
                time = "<attributes><divisions>2</divisions><time><beats>4</beats><beat-type>4</beat-type></time></attributes>"
                measures.append(f'<measure number="{number}">{time if number == 1 else ""}{notes}</measure>')
        text = score(parts)
    return text


def clicks():
    measures = []
    for number in range(33):
        beats, unit = METRES[number // 4 % 3] if number else (4, 4)
        measures.append(measure(number, beats, unit, number % 4 == 0))
    return score([("Clicks", 116, measures)])


if __name__ == "__main__":
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    with open(sys.argv[1], "w") as file:
        file.write(long_score(int(sys.argv[2])) if len(sys.argv) == 3 else clicks())
