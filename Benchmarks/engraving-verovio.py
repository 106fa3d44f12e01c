#!/usr/bin/env python3
"""engraving-verovio.py SCORE PART [PAIRS]

How long does a part take, compared with Verovio? Both programs engrave part number PART of SCORE, alone and at the same width, one after
the other, PAIRS times (9). The times are those of warm processes without their start: the import of the file, the layout, and the SVG of
all pages. Prints a row for each pair, and the medians with their 95 % bootstrap intervals.

Expected: layout and SVG take at most a tenth of Verovio's time for its layout and SVG, in the median of the pairs. Exit status 1 otherwise.

ENGRAVING names another program than the release build of Benchmarks.

Needs the Python package verovio and the release build: swift build -c release --product engraving
"""
import os, pathlib, random, statistics, subprocess, sys, tempfile, time

try:
    import verovio
except ImportError:
    sys.exit("engraving-verovio.py: verovio is missing; run pip install verovio==6.4.0")

HERE = pathlib.Path(__file__).resolve().parent
ENGRAVING = os.environ.get("ENGRAVING", HERE / ".build/release/engraving")
WIDTH = 105
"""The width in staff spaces."""
UNIT = 9
"""Half a staff space in units of Verovio's page."""


def toolkit():
    verovio.enableLog(verovio.LOG_OFF)
    kit = verovio.toolkit()
    kit.setOptions({
        "unit": UNIT, "scale": 100, "pageWidth": 2 * UNIT * WIDTH + 100, "pageMarginLeft": 50, "pageMarginRight": 50,
        "pageHeight": 2970, "svgViewBox": True, "breaks": "auto", "footer": "none",
    })
    return kit


def engrave(text):
    """Milliseconds of the import with the first layout, and of another layout and the SVG of all pages; and the SVG's octets."""
    kit = toolkit()
    start = time.perf_counter()
    if not kit.loadData(text):
        sys.exit("engraving-verovio.py: verovio cannot read the part")
    loaded = time.perf_counter()
    kit.redoLayout()
    octets = sum(len(kit.renderToSVG(page)) for page in range(1, kit.getPageCount() + 1))
    end = time.perf_counter()
    return 1e3 * (loaded - start), 1e3 * (end - loaded), octets


def interval(values):
    """The median and its 95 % bootstrap interval."""
    source = random.Random(1)
    medians = sorted(statistics.median(source.choices(values, k=len(values))) for _ in range(2000))
    return f"{statistics.median(values):.2f} ({medians[50]:.2f} to {medians[1949]:.2f})"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    score, part = sys.argv[1], sys.argv[2]
    pairs = int(sys.argv[3]) if len(sys.argv) > 3 else 9
    with tempfile.TemporaryDirectory() as folder:
        alone = f"{folder}/part.musicxml"
        subprocess.run([ENGRAVING, score, "--part", part, "--export", alone], check=True)
        text = pathlib.Path(alone).read_text()
        rows = []
        print("import, layout, SVG ms; Verovio: import with a first layout, layout and SVG ms; ratio of layout and SVG")
        for pair in range(pairs):
            def ours():
                # The first repetition of the process warms its caches, as the earlier pairs do for Verovio.
                lines = subprocess.run(
                    [ENGRAVING, alone, "--width", str(WIDTH), "--times", "2"], check=True, capture_output=True, text=True).stdout
                return [float(word) for word in lines.splitlines()[-1].split()]
            if pair == 0:
                engrave(text)
            # The order alternates, so that a slow phase of the machine affects both.
            if pair % 2:
                mine, theirs = ours(), engrave(text)
            else:
                theirs = engrave(text)
                mine = ours()
            rows.append((*mine, *theirs[:2]))
            print(" ".join(f"{value:.2f}" for value in rows[-1]), f"{theirs[1] / (mine[1] + mine[2]):.1f}")
        ratios = [row[4] / (row[1] + row[2]) for row in rows]
        whole = [(row[3] + row[4]) / sum(row[:3]) for row in rows]
        print(f"layout and SVG, ms, median (95 %): {interval([row[1] + row[2] for row in rows])}")
        print(f"Verovio, layout and SVG, ms: {interval([row[4] for row in rows])}; {theirs[2]} octets of SVG")
        print(f"ratio: {interval(ratios)}")
        print(f"ratio with the import: {interval(whole)}")
        return 0 if statistics.median(ratios) >= 10 else 1


sys.exit(main())
