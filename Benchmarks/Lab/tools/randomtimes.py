#!/usr/bin/env python3
"""randomtimes.py SEED COUNT: prints COUNT random times in seconds, alternately 2...5 s and 0.8...2 s."""
import random
import sys

numbers = random.Random(int(sys.argv[1]))
for n in range(int(sys.argv[2])):
    print(f"{numbers.uniform(0.8, 2) if n % 2 else numbers.uniform(2, 5):.4f}")
