#!/usr/bin/env python3
"""writescore.py FILE: writes a score in MusicXML whose onsets can be measured: one eighth note after another.

It has a pick-up, changes of the metre between 4/4, 3/4 and 7/8, a repeat, a ritardando over two bars with a new tempo after it, and another
ritardando before the end. It lasts about a minute.
"""
import sys

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


def main(path):
    measures = []
    for number in range(33):
        beats, unit = METRES[number // 4 % 3] if number else (4, 4)
        measures.append(measure(number, beats, unit, number % 4 == 0))
    with open(path, "w") as file:
        file.write('<?xml version="1.0"?><score-partwise version="4.0"><part-list><score-part id="P1"><part-name>Clicks</part-name>'
                   '<score-instrument id="I1"><instrument-name>Woodblock</instrument-name></score-instrument>'
                   '<midi-instrument id="I1"><midi-program>116</midi-program></midi-instrument></score-part></part-list>'
                   f'<part id="P1">{"".join(measures)}</part></score-partwise>')


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    main(sys.argv[1])
