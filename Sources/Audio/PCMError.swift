import CALSA
import Glibc

/// A sound card that cannot be had: the device, the reason and the remedy, in one line.
public struct PCMError: Error, Hashable, CustomStringConvertible {
  public let device: String
  public let reason: String
  /// ALSA's -errno; -ENOTSUP for a device that is there and with which nothing can be agreed upon.
  let code: Int32
  private let advice: String?

  /// A device with which nothing can be agreed upon.
  init(device: String, reason: String, remedy: String) {
    (self.device, self.reason, advice, code) = (device, reason, remedy, -ENOTSUP)
  }

  /// What a negative result of ALSA's means for `device`.
  init(device: String, code: Int32) {
    (self.device, self.code, advice) = (device, code, nil)
    reason = Self.reason(of: code)
  }

  /// What to do. It may say which devices there are, for which they are looked up when it is asked for.
  public var remedy: String { advice ?? Self.remedy(for: code) }

  public var description: String { "\(Self.printable(device)): \(reason); \(remedy)" }

  /// `code` (-errno) in words.
  static func reason(of code: Int32) -> String {
    switch -code {
    case EBUSY, EAGAIN: "another program has this sound card"
    case EACCES, EPERM: "no right to use this sound card"
    case ENOENT, ENODEV, ENXIO, ENOTDIR: "no such sound card"
    case ECONNREFUSED, EHOSTDOWN, ECONNABORTED: "its sound server does not answer"
    case ENOTSUP: "it does not play at that rate, or in no format that can be had"
    case ETIMEDOUT: "it stands still"
    default: String(cString: snd_strerror(code))
    }
  }

  private static func remedy(for code: Int32) -> String {
    switch -code {
    case EBUSY, EAGAIN: "end that program, or play through its sound server with --audio alsa:default"
    case EACCES, EPERM: "add yourself to the group audio (`usermod -aG audio NAME`) and log in again"
    default: "give --audio alsa:DEVICE with one of: " + present()
    }
  }

  private static func present() -> String {
    let names = PCMDevices.all.map { printable($0.name) }
    return names.isEmpty ? "none, as there is no sound card here" : names.joined(separator: ", ")
  }

  /// The name without what would move a terminal's cursor.
  private static func printable(_ name: String) -> String {
    String(name.unicodeScalars.prefix(100).map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) })
  }
}
