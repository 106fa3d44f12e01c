/// A control of the player that an instrument can follow. Every control has a value of 0...127.
public enum ControlSource: Hashable, Sendable, BitwiseCopyable {
  /// A MIDI controller, 0...119.
  case controller(UInt8)
  /// The force of the last action: the velocity of a Note On, or Expression (CC 11) from a device that sends no notes.
  case force
  /// The activity of the player (`ActivityLevel`).
  case activity
  /// The key of the last Note On. Only the property ``Instrument/pitch`` can follow the key.
  case key

  /// Modulation (CC 1): how far the device is tilted forward. 64 is level.
  public static let tiltForward = ControlSource.controller(1)
  /// Brightness (CC 74): how far the device is tilted sideways. 64 is level.
  public static let tiltSideways = ControlSource.controller(74)

  /// The controls that have a name of their own in a patch. A patch names every other controller by its number.
  static let names: [(name: String, source: ControlSource)] = [
    ("tilt forward", .tiltForward), ("tilt sideways", .tiltSideways), ("force", .force), ("activity", .activity),
    ("key", .key),
  ]

  /// The name in a patch, such as `tilt forward` or `controller 16`.
  ///
  /// Real-time: not safe.
  public var name: String {
    if let name = Self.names.first(where: { $0.source == self })?.name { return name }
    guard case .controller(let number) = self else { return "" }
    return "controller \(number)"
  }

  /// Creates the control with a name in a patch; nil for any other name.
  init?(named name: String) {
    if let source = Self.names.first(where: { $0.name == name })?.source {
      self = source
      return
    }
    let words = name.split(separator: " ")
    // The numbers from 120 on are channel mode messages, not controllers.
    guard words.count == 2, words[0] == "controller", let number = UInt8(words[1]), number < 120 else { return nil }
    self = .controller(number)
  }
}
