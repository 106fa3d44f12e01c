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

  /// What to do. It may say which cards there are, for which they are looked up when it is asked for; sound servers are
  /// not asked.
  public var remedy: String { advice ?? remedyOfCode }

  public var description: String { "\(device.printable()): \(reason); \(remedy)" }

  /// `code` (-errno) in words.
  static func reason(of code: Int32) -> String {
    switch -code {
    case EBUSY, EAGAIN: "another program has this sound card"
    case EACCES, EPERM: "no right to use this sound card"
    case ENOENT, ENODEV, ENXIO, ENOTDIR: "no such sound card"
    case ECONNREFUSED, EHOSTDOWN, ECONNABORTED: "its sound server does not answer"
    case ENOTSUP: "it does not play at that rate, or in no format that can be had"
    case ETIMEDOUT: "it stands still"
    case EPIPE: "it runs empty and does not start again"
    case ENOSTR: "it takes sound without playing it"
    default: String(cString: snd_strerror(code))
    }
  }

  private var remedyOfCode: String {
    switch -code {
    case EBUSY, EAGAIN: "end that program, or play through its sound server with --audio alsa:default"
    case EACCES, EPERM: "add yourself to the group audio (`usermod -aG audio NAME`) and log in again"
    default: "give --audio alsa:DEVICE with one of: " + others
    }
  }

  /// The cards there are, and `default`, behind which there is one then.
  private var others: String {
    let names = PCMDevices.hardware.map(\.name)
    if names.isEmpty { return "none, as there is no sound card here" }
    return (device == "default" ? names : ["default"] + names).joined(separator: ", ")
  }
}
