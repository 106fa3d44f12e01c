import Glibc
import MusicalTime

/// The last wake lead of a peer on this machine (``WakeLead``), in the file `wake-lead` of the state folder, in nanoseconds. It lets the
/// next peer begin with less polling. A missing or damaged file only means that the next peer learns the value again, so no error is
/// reported.
///
/// Real-time: not safe.
enum WakeLeadFile {
  /// The number of octets of the value, without the newline.
  private static let length = 6

  /// Nil if no valid value is stored.
  static func read() -> Nanoseconds? {
    guard let file = try? StateFile(StateFolder.path + "/wake-lead", O_RDONLY) else { return nil }
    var octets = [UInt8](repeating: 0, count: length)
    guard pread(file.descriptor, &octets, length, 0) == length,
      let count = Int64(String(decoding: octets, as: UTF8.self)), count > 0
    else { return nil }
    return Nanoseconds(count)
  }

  static func write(_ lead: Nanoseconds) {
    let digits = String(min(max(lead.count, 0), 999_999))
    let line = String(repeating: "0", count: length - digits.count) + digits + "\n"
    guard let folder = try? StateFolder.create(),
      let file = try? StateFile(folder + "/wake-lead", O_WRONLY | O_CREAT)
    else { return }
    _ = pwrite(file.descriptor, line, length + 1, 0)
  }
}
