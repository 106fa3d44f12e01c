#!/usr/bin/env python3
"""layers.py [RHYTHM...]

Measures whether each layer of the rhythms in Patches/rhythms, or of the named ones, can be heard above the layers below it.

For each activity at which layers enter or leave, the rhythm is rendered for 8 bars just below and at this activity. The render is
deterministic, so the difference of both files is the sound of the change alone: layers that enter, and layers that leave. Both
are compared in octave bands from 44 Hz to 22 kHz and in frames of 21 ms. A sound that is at least as loud as the rest in one band
for some frames cannot be masked there. The margin is the level of the difference minus the level of the render below, in the best
band, exceeded in 1 % of the frames.

Expected: a margin of at least 0 dB for every change. Exit status 1 otherwise.

TUTTI names another program than the release build, and SOUNDFONT another SoundFont than TimGM6mb.

Needs numpy (apt-get install python3-numpy) and the release build: swift build -c release --product tutti
"""
import os, pathlib, re, subprocess, sys, tempfile

try:
    import numpy as np
except ImportError:
    sys.exit("layers.py: numpy is missing; install the package python3-numpy")

ROOT = pathlib.Path(__file__).resolve().parent.parent
TUTTI = os.environ.get("TUTTI", ROOT / ".build/release/tutti")
SOUNDFONT = os.environ.get("SOUNDFONT", "/usr/share/sounds/sf2/TimGM6mb.sf2")
FRAME, BARS, LEAST = 1024, 8, 0.0


def changes(name):
    """The activities at which layers enter or leave."""
    text = (ROOT / "Patches/rhythms" / f"{name}.yaml").read_text()
    entries = {int(n) for n in re.findall(r"^ +from (\d+)(?: to \d+)?:", text, re.M)}
    exits = {int(n) + 1 for n in re.findall(r"^ +(?:from \d+ )?to (\d+):", text, re.M)}
    return sorted(n for n in entries | exits if 0 < n <= 127)


def render(name, activity, folder):
    """The render as an array of mono samples."""
    path = os.path.join(folder, "render.wav")
    subprocess.run(
        [TUTTI, "patch", "render", name, "--soundfont", SOUNDFONT, "--activity", str(activity), "--bars", str(BARS), "--output", path],
        check=True, capture_output=True, env={**os.environ, "TUTTI_PATCHES": str(ROOT / "Patches")})
    raw = subprocess.run(
        ["ffmpeg", "-loglevel", "error", "-i", path, "-ac", "1", "-f", "f32le", "-"], check=True, capture_output=True)
    return np.frombuffer(raw.stdout, dtype="<f4")


def bands(samples):
    """The power of each octave band (columns) in each frame (rows)."""
    frames = samples[: len(samples) // FRAME * FRAME].reshape(-1, FRAME) * np.hanning(FRAME)
    power = np.abs(np.fft.rfft(frames, axis=1)) ** 2
    edges = [1, 2, 4, 8, 16, 32, 64, 128, 256, FRAME // 2]
    return np.stack([power[:, a:b].sum(axis=1) for a, b in zip(edges, edges[1:])], axis=1)


def margin(below, above):
    """The margin in dB of the difference of two renders over the first one."""
    count = min(len(below), len(above))
    rest, change = bands(below[:count]), bands(above[:count] - below[:count])
    # Changes below -80 dB of the loudest frame of the render cannot be heard.
    floor = bands(above[:count]).sum(axis=1).max() * 1e-8
    ratio = (change + floor) / (rest + floor)
    best = 10 * np.log10(ratio.max(axis=1))
    return float(np.quantile(best, 0.99))


def main():
    names = sys.argv[1:] or sorted(path.stem for path in (ROOT / "Patches/rhythms").glob("*.yaml"))
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names:
            row = []
            for activity in changes(name):
                value = margin(render(name, activity - 1, folder), render(name, activity, folder))
                failed += value < LEAST
                row.append(f"{activity}:{value:.0f}" + ("!" if value < LEAST else ""))
            print(f"{name:14} {' '.join(row)}", flush=True)
    print(f"margin in dB at each activity; {failed} below {LEAST:.0f} dB")
    sys.exit(failed > 0)


main()
