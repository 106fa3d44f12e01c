// The tests and benchmarks draw their random numbers from the generator of the simulation.
@_exported public import struct Simulation.SplitMix
