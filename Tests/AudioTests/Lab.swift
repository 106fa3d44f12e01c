import Glibc
import Testing

/// What the tests of real sound cards need. There is none on most build machines, so they run in the lab.
enum Lab {
  static let hint: Comment = "no snd-aloop sound card here: run them in the lab, Benchmarks/Lab/lab"
  static let hasLoopback = access("/proc/asound/Loopback", F_OK) == 0 && access("/dev/snd", F_OK) == 0
}
