"""Reads and writes Standard MIDI Files with mido, for MidoTests.

    midifiles.py read FILE...               reads files
    midifiles.py write SEED COUNT FOLDER    writes random files into a folder
    midifiles.py examples ARCHIVE FOLDER    writes the hex dumps of mido's own tests into a folder, and reads them.
                                            ARCHIVE: the source distribution of mido

Writes one JSON line per file:

    {"path": P, "format": F, "division": D, "tracks": [[{"tick": T, "octets": [O]}]]}
    {"path": P, "error": E}                 mido cannot read the file

D: the last word of the header. T: the absolute tick. O: the octets of a message without lengths: status and data of
a channel or system message; F0, data and F7 of a System Exclusive; FF, type and content of a meta event.
"""

import ast
import json
import os
import random
import sys
import tarfile

from mido import Message, MetaMessage, MidiFile, MidiTrack

TEST_FILE = "tests/midifiles/test_midifiles.py"


def octets(message):
    if not message.is_meta:
        return message.bytes()
    encoded = message.bytes()
    # The length follows the type. All its octets except the last have the top bit set.
    end = 2
    while encoded[end] >= 0x80:
        end += 1
    return encoded[:2] + encoded[end + 1:]


def events(track):
    tick = 0
    for message in track:
        tick += message.time
        yield {"tick": tick, "octets": octets(message)}


def report(path, file):
    tracks = [list(events(track)) for track in file.tracks]
    print(json.dumps({"path": path, "format": file.type, "division": file.ticks_per_beat & 0xFFFF, "tracks": tracks}))


def read(path):
    try:
        file = MidiFile(path)
    # mido documents no exceptions. It raises at least EOFError, OSError, ValueError, IndexError and KeySignatureError.
    except Exception as error:
        print(json.dumps({"path": path, "error": repr(error)}))
    else:
        report(path, file)


def random_message(time):
    channel, value, other = random.randrange(16), random.randrange(128), random.randrange(128)
    return random.choice([
        Message("note_on", channel=channel, note=value, velocity=other, time=time),
        Message("note_off", channel=channel, note=value, velocity=other, time=time),
        # Without a random channel, so that mido writes running status.
        Message("note_on", note=value, velocity=other, time=time),
        Message("note_on", note=value, velocity=0, time=time),
        Message("polytouch", channel=channel, note=value, value=other, time=time),
        Message("control_change", channel=channel, control=value, value=other, time=time),
        Message("program_change", channel=channel, program=value, time=time),
        Message("aftertouch", channel=channel, value=value, time=time),
        Message("pitchwheel", channel=channel, pitch=random.randint(-8192, 8191), time=time),
        Message("sysex", data=[random.randrange(128) for _ in range(random.choice([0, 3, 200]))], time=time),
        Message("quarter_frame", frame_type=random.randrange(8), frame_value=random.randrange(16), time=time),
        Message("songpos", pos=random.randrange(16384), time=time),
        Message("song_select", song=value, time=time),
        Message("active_sensing", time=time),
        MetaMessage("sequence_number", number=random.randrange(65536), time=time),
        MetaMessage("text", text="text " * random.choice([0, 1, 40]), time=time),
        MetaMessage("track_name", name="B\xe4sse", time=time),
        MetaMessage("lyrics", text="la", time=time),
        MetaMessage("marker", text="A", time=time),
        MetaMessage("channel_prefix", channel=channel, time=time),
        MetaMessage("midi_port", port=value, time=time),
        MetaMessage("set_tempo", tempo=random.randrange(1, 1 << 24), time=time),
        MetaMessage("smpte_offset", frame_rate=random.choice([24, 25, 29.97, 30]), hours=random.randrange(24),
                    minutes=random.randrange(60), seconds=random.randrange(60), frames=random.randrange(24),
                    sub_frames=random.randrange(100), time=time),
        MetaMessage("time_signature", numerator=1 + value, denominator=random.choice([1, 2, 4, 8, 16]),
                    clocks_per_click=other, time=time),
        MetaMessage("key_signature", key=random.choice(["C", "F#m", "Cb", "A#m"]), time=time),
        MetaMessage("sequencer_specific", data=[random.randrange(256) for _ in range(random.choice([0, 3, 200]))],
                    time=time),
    ])


def random_track():
    # Half of the events have the same tick as the event before.
    times = [random.randrange(1 << random.choice([0, 7, 14, 21, 28])) for _ in range(random.randrange(40))]
    track = MidiTrack(random_message(time) for time in times)
    track.append(MetaMessage("end_of_track", time=random.randrange(1000)))
    return track


def write(seed, count, folder):
    random.seed(int(seed))
    for number in range(int(count)):
        # Ticks per quarter note, or 25 frames of 40 ticks, or 30 frames of 80 ticks.
        division = random.choice([1, 480, 32767, -25 * 256 + 40, -30 * 256 + 80])
        kind = number % 3
        tracks = [random_track() for _ in range(1 if kind == 0 else random.randrange(5))]
        file = MidiFile(type=kind, ticks_per_beat=division, tracks=tracks)
        path = os.path.join(folder, f"mido-{number}.mid")
        file.save(path)
        report(path, file)


def examples(archive, folder):
    with tarfile.open(archive) as members:
        name = next(name for name in members.getnames() if name.endswith("/" + TEST_FILE))
        module = ast.parse(members.extractfile(name).read())
    # The dumps are the first arguments of read_file: texts and sums of texts. The names in them are the module's.
    names = {}
    for statement in module.body:
        if isinstance(statement, ast.Assign) and isinstance(statement.value, ast.Constant):
            names[statement.targets[0].id] = statement.value.value

    def text(node):
        if isinstance(node, ast.BinOp):
            return text(node.left) + text(node.right)
        return names[node.id] if isinstance(node, ast.Name) else node.value

    for function in module.body:
        calls = [node for node in ast.walk(function)
                 if isinstance(node, ast.Call) and getattr(node.func, "id", None) == "read_file"]
        for number, call in enumerate(calls):
            lines = text(call.args[0]).splitlines()
            path = os.path.join(folder, f"{function.name}-{number}.mid")
            with open(path, "wb") as file:
                file.write(bytes.fromhex(" ".join(line.split("#")[0] for line in lines)))
            read(path)


command, *arguments = sys.argv[1:]
if command == "read":
    for path in arguments:
        read(path)
elif command == "write":
    write(*arguments)
else:
    examples(*arguments)
