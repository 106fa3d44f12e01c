#!/usr/bin/env python3
"""impaired-network.py ADDRESS OTHER MEAN VARIATION LOSS SEED: delays and drops packets between this machine and
itself.

Creates the network interface tutti-tun with ADDRESS. A connection from this machine to OTHER, an address of the same /24 network,
arrives at ADDRESS: this program exchanges the source and the destination of each IPv4 packet and returns it to the kernel. The checksums
do not change.
The delay of each packet is uniform in MEAN +- VARIATION milliseconds, so packets can overtake each other. LOSS percent of the packets are
dropped. The processes at both ends have the same clock, so a test knows the true difference of their clocks: 0.

Prints "ready" when packets pass. Needs root and /dev/net/tun.
"""
import fcntl
import heapq
import os
import random
import select
import struct
import subprocess
import sys
import time

TUNSETIFF, IFF_TUN, IFF_NO_PI = 0x400454CA, 1, 0x1000
NAME = "tutti-tun"


def main():
    address, other = sys.argv[1:3]
    mean, variation, loss = (float(argument) for argument in sys.argv[3:6])
    generator = random.Random(int(sys.argv[6]))
    tunnel = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(tunnel, TUNSETIFF, struct.pack("16sH", NAME.encode(), IFF_TUN | IFF_NO_PI))
    for command in (f"address add {address}/24 dev {NAME}", f"link set {NAME} up"):
        subprocess.run(["ip", *command.split()], check=True)
    try:
        # The lateness of this program adds to the delay.
        os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(50))
    except PermissionError:
        pass
    print("ready", flush=True)
    waiting, count = [], 0
    while True:
        timeout = max(waiting[0][0] - time.monotonic(), 0) if waiting else None
        if select.select([tunnel], [], [], timeout)[0]:
            packet = bytearray(os.read(tunnel, 65536))
            if packet[0] >> 4 == 4 and generator.random() * 100 >= loss:
                packet[12:16], packet[16:20] = packet[16:20], packet[12:16]
                due = time.monotonic() + generator.uniform(mean - variation, mean + variation) / 1000
                # The number decides between packets with the same instant.
                heapq.heappush(waiting, (due, count, packet))
                count += 1
        while waiting and waiting[0][0] <= time.monotonic():
            os.write(tunnel, heapq.heappop(waiting)[2])


main()
