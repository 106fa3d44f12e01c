"""Prints the notes of scores as music21 reads them, for the comparison by `scorecorpus`.

    music21-notes.py OUTPUT             writes one text per file of music21's corpus and of its MusicXML test suite into the folder OUTPUT
    music21-notes.py OUTPUT FOLDER      the same for all files in FOLDER

A text has a line `part` for each part of the file, a line `bar START` for each of its bars, and a line `ONSET PITCH DURATION` for each note
of the bar: the start of the bar, the onset in the bar and the duration in quarter notes as fractions, and the MIDI key of the written pitch
(`u` for an unpitched note). A grace note has the duration 0. The name of the text is the path of the file below the folder of music21 with
`+` for `/`. The staves of a part follow each other, each with all bars.
"""

import fractions
import multiprocessing
import os
import re
import sys
import warnings

import music21

ROOT = os.path.dirname(music21.__file__)
FOLDERS = ["corpus", "musicxml/lilypondTestSuite"]


def text(value):
    return str(fractions.Fraction(value).limit_denominator(65536))


def notes(part):
    for measure in part.getElementsByClass(music21.stream.Measure):
        yield "bar " + text(measure.offset)
        for element in measure.flatten().notes:
            # Chord symbols are notes for music21.
            if isinstance(element, music21.harmony.Harmony):
                continue
            length = "0" if element.duration.isGrace else text(element.duration.quarterLength)
            for member in element.notes if hasattr(element, "notes") else [element]:
                pitch = str(member.pitch.midi) if isinstance(member, music21.note.Note) else "u"
                yield f"{text(element.offset)} {pitch} {length}"


def dump(job):
    path, target = job
    if os.path.exists(target):
        return None
    warnings.simplefilter("ignore")
    try:
        score = music21.converter.parse(path, forceSource=True, storePickle=False)
    except Exception as error:
        with open(target, "w") as file:
            file.write(f"error {type(error).__name__}: {error}\n".replace("\n", " ") + "\n")
        return path
    # The staves of one part are parts for music21: their names are those of the part and `-Staff1`.
    lines, last = [], None
    for part in score.parts:
        name = re.sub(r"-Staff\d+$", "", str(part.id))
        if last is None or name != last or not re.search(r"-Staff\d+$", str(part.id)):
            lines.append("part")
        else:
            lines.append("staff")
        last = name
        lines += notes(part)
    with open(target + ".new", "w") as file:
        file.write("\n".join(lines) + "\n")
    os.rename(target + ".new", target)
    return None


def main(output, root=None):
    os.makedirs(output, exist_ok=True)
    jobs = []
    for folder in [os.path.join(ROOT, folder) for folder in FOLDERS] if root is None else [os.path.abspath(root)]:
        for place, _, names in sorted(os.walk(folder)):
            for name in sorted(names):
                if name.endswith((".xml", ".mxl", ".musicxml")):
                    path = os.path.relpath(os.path.join(place, name), ROOT if root is None else folder)
                    jobs.append((os.path.join(place, name), os.path.join(output, path.replace("/", "+") + ".txt")))
    with multiprocessing.Pool() as pool:
        failed = [path for path in pool.imap_unordered(dump, jobs, chunksize=4) if path]
    print(f"{len(jobs)} files, {len(failed)} that music21 cannot read")


main(*sys.argv[1:])
