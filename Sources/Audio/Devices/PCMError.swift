import CALSA
import Glibc
import Text

/// An error of a sound card: the device, the reason and the remedy, on one line.
///
/// Real-time: not safe.
public struct PCMError: Error, Hashable, CustomStringConvertible {
  public let device: String
  public let reason: String
  /// The -errno of ALSA or of ``CardLoop``; -ENOTSUP for an error that has a reason and a remedy of its own.
  let code: Int32
  /// The remedy for this error; nil to use the remedy for ``code``.
  private var specificRemedy: String?

  /// Creates an error with a reason and a remedy of its own, such as that of a device without usable parameters.
  init(device: String, reason: String, remedy: String) {
    (self.device, self.reason, specificRemedy, code) = (device, reason, remedy, -ENOTSUP)
  }

  /// Creates the error for `code`, a negative result of an ALSA call on `device`.
  init(device: String, code: Int32) {
    (self.device, self.code, specificRemedy) = (device, code, nil)
    reason = Self.reason(of: code)
  }

  /// Creates the error of a device that could not be opened or used. `code` is the result of ALSA. If a measurement needs the device, the
  /// command `lister` lists such devices.
  init(device: String, code: Int32, listedBy lister: String?) {
    // Without permission for the sound cards, ALSA reports that the device is missing.
    let isMissing = [-ENOENT, -ENODEV, -ENXIO].contains(code)
    self.init(device: device, code: isMissing && PCMDevices.isAccessDenied ? -EACCES : code)
    guard let lister else { return }
    switch -self.code {
    case EBUSY, EAGAIN: specificRemedy = "close that program"
    case EACCES, EPERM: break
    default: specificRemedy = "give a device that `\(lister)` lists"
    }
  }

  /// Whether the device, or the sound server to which it belongs, is missing now and can appear later.
  public var isAbsence: Bool { Self.isAbsence(code) }

  /// Whether `code` (-errno) means that the device, or the sound server to which it belongs, is missing.
  static func isAbsence(_ code: Int32) -> Bool {
    [ENOENT, ENODEV, ENXIO, ECONNREFUSED, EHOSTDOWN, ECONNABORTED].contains(-code)
  }

  /// What the user can do. The text may list the sound cards. Each access then searches for the cards, for at most two
  /// seconds.
  public var remedy: String { specificRemedy ?? genericRemedy }

  public var description: String { "\(device.printable(upTo: 100)): \(reason); \(remedy)" }

  /// Returns the reason for `code` (-errno) as text for the user. ``CardLoop`` uses ETIMEDOUT and ENOSTR for failures that
  /// ALSA does not report. The loop keeps only the code of an error. ENOTSUP therefore has a text here, too, which is true for all errors
  /// with this code, for example for a reopened device that does not support the rate at which the peer started.
  static func reason(of code: Int32) -> String {
    switch -code {
    case EBUSY, EAGAIN: "another program is using this sound card"
    case EACCES, EPERM: "no permission to use this sound card"
    case ENOENT, ENODEV, ENXIO, ENOTDIR: "no such sound card"
    case ECONNREFUSED, EHOSTDOWN, ECONNABORTED: "the sound server does not answer"
    case ENOTSUP: "the device does not support the parameters that this peer needs"
    case ETIMEDOUT: "playback has stalled"
    case EPIPE: "playback stopped and could not be restarted"
    case ENOSTR: "the device accepts samples without playing them"
    default: String(cString: snd_strerror(code))
    }
  }

  private var genericRemedy: String {
    switch -code {
    case EBUSY, EAGAIN:
      let other =
        device == "default"
        ? "give another device with --audio alsa:DEVICE (`tutti ports`)"
        : "play through the sound server with --audio alsa:default"
      return "close that program, or \(other)"
    case EACCES, EPERM: return "add yourself to the group audio (`usermod -aG audio NAME` as root) and log in again"
    default:
      let alternatives = alternatives
      return alternatives.isEmpty ? Self.remedyWithoutCard : "use --audio alsa:DEVICE with one of: \(alternatives)"
    }
  }

  private static let remedyWithoutCard =
    "without a sound card, write the sound to a file with --audio wav:FILE"

  /// The available cards, preceded by `default` unless the error is about `default`. Empty if there is no card.
  private var alternatives: String {
    let names = PCMDevices.hardware.map(\.name)
    if names.isEmpty { return "" }
    return (device == "default" ? names : ["default"] + names).joined(separator: ", ")
  }
}
