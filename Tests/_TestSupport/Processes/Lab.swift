import Foundation

/// The devices that ALSA tests need and most build machines do not have. The lab (`Benchmarks/Lab`), a Linux guest, has these devices.
/// On other machines, the tests are skipped with a text that contains "run them in the lab". `.ci/run` searches the test log for these
/// words.
public enum Lab {
  public static let hasSequencer = access("/dev/snd/seq", R_OK | W_OK) == 0
  public static let needsSequencer = "no /dev/snd/seq here: run them in the lab, Benchmarks/Lab/lab"

  public static let hasLoopback = access("/proc/asound/Loopback", F_OK) == 0 && access("/dev/snd", F_OK) == 0
  public static let needsLoopback = "no snd-aloop sound card here: run them in the lab, Benchmarks/Lab/lab"
}
