#!/usr/bin/env python3
"""comparison.py table RUNS FILE: prints the table of a comparison. Fails if a figure of a program does not have RUNS runs.
comparison.py plot FILE SVG TITLE: draws it with gnuplot.
comparison.py side-by-side RESULT...: prints the lines of FILE for the results of side-by-side.sh, one network each.

FILE has a line "RUN PROGRAM FIGURE VALUE" for each figure of each run. The unit of a figure is the end of its name, such as
_us. The run is the unit of the statistics: the table has the median over the runs and its 95 % bootstrap interval (percentile
method, 10 000 resamples of the runs with a fixed seed). The ratio is the median of the ratios of a program to the first program
in the same run, with the same interval. A ratio has no value if the first program has the value 0.
"""
import random
import statistics
import subprocess
import sys

from figures import fail, percentile

RESAMPLES = 10_000
SEED = 1
COLOURS = ("#1857a4", "#e07b00", "#4a8c3f", "#a02c5a")
# The smallest value of a logarithmic axis.
FLOOR = 0.1


def read(path):
    """The values as {figure: {program: {run: value}}}, in the order of the file; tutti is the first program."""
    found = {}
    with open(path) as file:
        rows = [line.split() for line in file]
    for row in sorted(rows, key=lambda row: row[1] != "tutti"):
        if len(row) != 4:
            fail(f"{path}: {' '.join(row)}: not RUN PROGRAM FIGURE VALUE; check the scenario")
        found.setdefault(row[2], {}).setdefault(row[1], {})[int(row[0])] = float(row[3])
    if not found:
        fail(f"{path}: contains no runs; see the messages of the scenario")
    return found


def interval(values):
    """The 95 % bootstrap interval of the median."""
    chance = random.Random(SEED)
    medians = sorted(statistics.median(chance.choices(values, k=len(values))) for _ in range(RESAMPLES))
    return percentile(medians, 0.025), percentile(medians, 0.975)


def short(value):
    """The value with three significant digits."""
    return "0" if value == 0 else f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"


def summary(values):
    """The median of the values and its interval as text."""
    low, high = interval(values)
    return [short(statistics.median(values)), f"{short(low)} ... {short(high)}"]


def label(figure):
    """The name of a figure with its unit as the last word."""
    name, unit = figure.rsplit("_", 1)
    return f"{name.replace('_', ' ')}, {unit}"


def table(runs, path):
    found, incomplete = read(path), False
    rows = [["figure", "program", "runs", "median", "95 % interval", "ratio", "95 % interval"]]
    for figure, programs in found.items():
        first = next(iter(programs.values()))
        for program, values in programs.items():
            incomplete |= len(values) != runs
            row = [label(figure), program, str(len(values))] + summary(list(values.values()))
            ratios = [values[run] / first[run] for run in values if first.get(run)]
            rows.append(row + (["1", ""] if values is first else summary(ratios) if len(ratios) == len(values) else ["-", ""]))
    widths = [max(map(len, column)) for column in zip(*rows)]
    for row in rows:
        print("  ".join(cell.ljust(width) if n < 2 else cell.rjust(width)
                        for n, (cell, width) in enumerate(zip(row, widths))).rstrip())
    print(f"programs={max(map(len, found.values()))}")
    return 1 if incomplete else 0


def plot(path, svg, title):
    """One panel for each figure: the runs, the median and its interval of each program."""
    found = read(path)
    names = list(dict.fromkeys(program for programs in found.values() for program in programs))
    script = [f'set terminal svg size {max(640, 260 * len(found))},420 font "sans-serif,11" background "white"',
              f'set output "{svg}"', "set encoding utf8", "set border 3 lc rgb '#888888'", "set tics nomirror", "unset key",
              "set grid ytics lc rgb '#dddddd'", f"set xrange [0.4:{len(names) + 0.6}]",
              "set xtics (" + ", ".join(f'"{name}" {n}' for n, name in enumerate(names, 1)) + ") rotate by 20 right noenhanced",
              f'set multiplot layout 1,{len(found)} title "{title}\\nSoftware only: no radio, no crystal"']
    for figure, programs in found.items():
        signed = any(value < 0 for values in programs.values() for value in values.values())
        place = (lambda value: value) if signed else (lambda value: max(value, FLOOR))
        script += ["unset logscale y" if signed else "set logscale y", "set format y '%g'",
                   f'set title "{label(figure).replace("us", "µs")}" noenhanced']
        parts, data = [], []
        for number, name in enumerate(names, 1):
            values = list(programs.get(name, {}).values())
            if not values:
                continue
            colour, (low, high) = COLOURS[(number - 1) % len(COLOURS)], interval(values)
            parts += [f"'-' with points pt 6 ps 0.6 lc rgb '{colour}'", f"'-' with yerrorbars pt 7 ps 0.9 lw 2 lc rgb '{colour}'"]
            data += [f"{number + 0.2 * (n / len(values) - 0.5):.3f} {place(value)}" for n, value in enumerate(values)] + ["e"]
            data += [f"{number + 0.25} {place(statistics.median(values))} {place(low)} {place(high)}", "e"]
        script += ["plot " + ", ".join(parts)] + data
    subprocess.run(["gnuplot"], input="\n".join(script) + "\nunset multiplot\n", text=True, check=True)


def side_by_side(paths):
    """The p95 of the offset from 10 to 40 s is the last column but one of the table of a result."""
    for path in paths:
        with open(path) as file:
            rows = [line.split() for line in file]
        network = next((row[1].rstrip(",") for row in rows if row[:1] == ["network"]), None)
        runs = [row for row in rows if len(row) > 10 and row[1] in ("Tutti", "Link") and row[0].isdigit()]
        if not network or not runs:
            fail(f"{path}: contains no runs; give a result of side-by-side.sh")
        for row in runs:
            print(row[0], {"Tutti": "tutti", "Link": "ableton_link"}[row[1]], f"{network}_p95_us", row[-2])


if __name__ == "__main__":
    if sys.argv[1:2] == ["table"] and len(sys.argv) == 4:
        sys.exit(table(int(sys.argv[2]), sys.argv[3]))
    elif sys.argv[1:2] == ["plot"] and len(sys.argv) == 5:
        plot(*sys.argv[2:])
    elif sys.argv[1:2] == ["side-by-side"] and len(sys.argv) > 2:
        side_by_side(sys.argv[2:])
    else:
        sys.exit(__doc__)
