#!/usr/bin/env python3
"""engraving-pictures.py ROOT FOLDER [NAME...]

Draws twenty parts of different kinds, or those named, as pictures to look at: FOLDER/NAME.png by Tutti on the left and by Verovio on the
right. ROOT is the folder of the Python package music21 10.5.

TUTTI names another program than the release build. Needs the Python package verovio, Pillow, and rsvg-convert.
"""
import os, pathlib, subprocess, sys, tempfile

try:
    import verovio
    from PIL import Image
except ImportError:
    sys.exit("engraving-pictures.py: a package is missing; run pip install verovio==6.4.0 pillow")

HERE = pathlib.Path(__file__).resolve().parent
ENGRAVING = os.environ.get("ENGRAVING", HERE / ".build/release/engraving")
UNIT = 9
"""Half a staff space in units of Verovio's page."""

HEIGHT = 1400
"""The largest height of a picture."""

# Name, file below the root, number of the part, width in staff spaces.
PARTS = [
    ("violin", "corpus/schumann_robert/opus41no1/movement1.mxl", 1, 105),
    ("viola", "corpus/mozart/k155/movement1.mxl", 3, 105),
    ("cello", "corpus/beethoven/opus18no1/movement1.mxl", 4, 105),
    ("quartet-violin-2", "corpus/mozart/k458/movement1.mxl", 2, 105),
    ("piano-rag", "corpus/joplin/maple_leaf_rag.mxl", 1, 105),
    ("piano-mozart", "corpus/mozart/k545/movement1_exposition.mxl", 1, 105),
    ("piano-schumann-clara", "corpus/schumann_clara/opus17/movement3.xml", 3, 105),
    ("song-voice", "corpus/schubert/Lindenbaum.xml", 1, 105),
    ("song-piano", "corpus/schubert/Lindenbaum.xml", 2, 105),
    ("choir-soprano", "corpus/bach/bwv66.6.mxl", 1, 60),
    ("choir-tenor", "corpus/bach/bwv269.mxl", 3, 60),
    ("clarinet", "corpus/weber/concertino_clarinet.mxl", 1, 105),
    ("lead-sheet", "corpus/leadSheet/berlinAlexandersRagtime.mxl", 1, 105),
    ("lead-sheet-phone", "corpus/leadSheet/fosterBrownHair.mxl", 1, 35),
    ("monteverdi", "corpus/monteverdi/madrigal.3.1.mxl", 1, 105),
    ("trecento", "corpus/trecento/PMFC_01-Lugentium siccentur.xml", 1, 105),
    ("violin-phone", "corpus/mozart/k80/movement1.mxl", 1, 35),
    ("dynamics", "musicxml/lilypondTestSuite/31c-MetronomeMarks.xml", 1, 60),
    ("lyrics", "musicxml/lilypondTestSuite/61b-MultipleLyrics.xml", 1, 60),
    ("percussion", "musicxml/lilypondTestSuite/73a-Percussion.xml", 3, 60),
    ("voices", "musicxml/lilypondTestSuite/42a-MultiVoice-TwoVoicesOnStaff-Lyrics.xml", 1, 60),
    ("beams", "musicxml/lilypondTestSuite/23a-Tuplets.xml", 1, 60),
    ("accidentals", "musicxml/lilypondTestSuite/01b-Pitches-Intervals.xml", 1, 60),
    ("graces", "musicxml/lilypondTestSuite/24a-GraceNotes.xml", 1, 60),
    ("chords", "musicxml/lilypondTestSuite/21f-Chord-ElementInBetween.xml", 1, 60),
    ("repeats", "musicxml/lilypondTestSuite/45b-RepeatWithAlternatives.xml", 1, 60),
    ("directions", "musicxml/lilypondTestSuite/31a-Directions.xml", 1, 60),
    ("notations", "musicxml/lilypondTestSuite/32a-Notations.xml", 1, 60),
]


def convert(svg, png, width):
    subprocess.run(["rsvg-convert", "--unlimited", "--width", str(width), "--background-color", "white", "--output", png, svg], check=True)


def draw(root, folder, name, file, part, width):
    target = pathlib.Path(folder)
    with tempfile.TemporaryDirectory() as work:
        alone = f"{work}/part.musicxml"
        subprocess.run(
            [ENGRAVING, f"{root}/{file}", "--part", str(part), "--export", alone], check=True, stdout=subprocess.DEVNULL)
        subprocess.run(
            [ENGRAVING, alone, "--width", str(width), "--output", work], check=True, stdout=subprocess.DEVNULL)
        # A space has ten pixels.
        pixels = 10 * (width + 2)
        convert(f"{work}/0001.svg", f"{work}/a.png", pixels)
        verovio.enableLog(verovio.LOG_OFF)
        kit = verovio.toolkit()
        kit.setOptions({
            "unit": UNIT, "scale": 100, "pageWidth": 2 * UNIT * width + 100, "pageMarginLeft": 50, "pageMarginRight": 50,
            "pageHeight": 60000, "adjustPageHeight": True, "breaks": "auto", "footer": "none",
        })
        kit.loadData(pathlib.Path(alone).read_text())
        pathlib.Path(f"{work}/b.svg").write_text(kit.renderToSVG(1))
        convert(f"{work}/b.svg", f"{work}/b.png", pixels)
        pictures = [Image.open(f"{work}/{letter}.png").convert("L") for letter in "ab"]
        # The first systems are enough.
        both = Image.new("L", (sum(picture.width for picture in pictures), min(HEIGHT, max(picture.height for picture in pictures))), 255)
        both.paste(pictures[0], (0, 0))
        both.paste(pictures[1], (pictures[0].width, 0))
        both.save(target / f"{name}.png")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    os.makedirs(sys.argv[2], exist_ok=True)
    for name, file, part, width in PARTS:
        if len(sys.argv) == 3 or name in sys.argv[3:]:
            try:
                draw(sys.argv[1], sys.argv[2], name, file, part, width)
                print(name)
            except subprocess.CalledProcessError as error:
                print(f"{name}: {error}")


main()
