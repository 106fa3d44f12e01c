"""A pymidi listener that prints what it receives, for PymidiMessageTests and PymidiTimingTests.

Listens on a free pair of ports of 127.0.0.1 until its standard input ends, and writes JSON lines:

    {"event": "ready", "port": P}                   the control port; the data port is P + 1
    {"event": "connected", "at": T, "name": N}
    {"event": "packet", "at": T, "commands": [C]}   one RTP packet as pymidi decodes it: a list of octets per command;
                                                    null if pymidi could not decode it
    {"event": "log", "text": L}                     a log message of pymidi, level warning or higher
    {"event": "disconnected", "at": T}

T: nanoseconds of CLOCK_MONOTONIC.
"""

import json
import logging
import select
import sys
import time

from pymidi.protocol import APPLEMIDI_PREAMBLE
from pymidi.server import Handler, Server


def report(event, **members):
    print(json.dumps({"event": event, **members}), flush=True)


def octets(command):
    """The octets of a command. pymidi puts all octets after an unknown status into `unknown`."""
    members = {key: value for key, value in command.params.items() if not key.startswith("_")}
    if "unknown" in members:
        return [command.command_byte, *members["unknown"]]
    return [command.command_byte, *(int(value) for value in members.values())]


class Log(logging.Handler):
    def emit(self, record):
        report("log", text=self.format(record))


class Listener(Handler):
    def __init__(self):
        self.commands = None

    def on_peer_connected(self, peer):
        report("connected", at=time.monotonic_ns(), name=peer.name)

    def on_peer_disconnected(self, peer):
        report("disconnected", at=time.monotonic_ns())

    def on_midi_commands(self, peer, command_list):
        self.commands = [octets(command) for command in command_list]


def bound_server():
    """A server on a port chosen by the system. pymidi also binds the next port, which may be in use: then try again."""
    for attempt in range(64):
        server = Server([("127.0.0.1", 0)])
        try:
            server._init_protocols()
            return server
        except OSError:
            pass
    sys.exit("listener: UDP ports: no two adjacent free ports on 127.0.0.1; end programs that use them")


def serve(server, listener):
    """Like `Server.serve_forever`, but handles all data packets before a control packet. A Stop is therefore handled
    before the BY that was sent after it, even if this process was suspended."""
    control, data = server.ipv4_protocols
    for protocol in (control, data):
        protocol.socket.setblocking(False)
    while True:
        ready, _, _ = select.select([control.socket, data.socket, sys.stdin], [], [])
        while take(data, listener):
            pass
        if control.socket in ready:
            take(control, listener)
        # An empty result means that the standard input has ended.
        if sys.stdin in ready and not sys.stdin.read(1):
            return


def take(protocol, listener):
    try:
        datagram, address = protocol.socket.recvfrom(2048)
    except BlockingIOError:
        return False
    at = time.monotonic_ns()
    listener.commands = None
    protocol.handle_message(datagram, address)
    if datagram[:2] != APPLEMIDI_PREAMBLE:
        report("packet", at=at, commands=listener.commands)
    return True


logging.basicConfig(level=logging.WARNING, format="%(levelname)s: %(message)s", handlers=[Log()])
listener = Listener()
server = bound_server()
server.add_handler(listener)
report("ready", port=server.ipv4_protocols[0].socket.getsockname()[1])
serve(server, listener)
