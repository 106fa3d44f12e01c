import Foundation

/// What tests of ALSA need and most build machines do not have. They run in the lab; elsewhere they are skipped and say
/// so, by words that `.ci/run` looks for.
public enum Lab {
  public static let hasSequencer = access("/dev/snd/seq", R_OK | W_OK) == 0
  public static let needsSequencer = "no /dev/snd/seq here: run them in the lab, Benchmarks/Lab/lab"

  public static let hasLoopback = access("/proc/asound/Loopback", F_OK) == 0 && access("/dev/snd", F_OK) == 0
  public static let needsLoopback = "no snd-aloop sound card here: run them in the lab, Benchmarks/Lab/lab"
}
