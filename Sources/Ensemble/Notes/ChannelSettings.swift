import MIDI

/// The settings of MIDI channels: controllers, programs, pitch bend, channel pressure and registered parameters. Unlike notes,
/// settings last until another message changes them.
///
/// The settings are kept in the order of their last messages. Messages that depend on each other (Bank Select and Program Change,
/// the selection of a parameter and Data Entry) therefore keep their meaning when ``messages`` are sent.
///
/// Reset All Controllers resets only some settings (recommended practice RP-015 of the MIDI Manufacturers Association). When a
/// channel is released, the other settings are reset one by one, to the defaults of General MIDI.
///
/// Real-time: not safe.
struct ChannelSettings: Sendable {
  /// What a message sets on its channel.
  private enum Kind: Hashable {
    case controller(UInt8)
    case program, pressure, bend
    /// A registered or non-registered parameter, selected by the messages of two controllers.
    case parameter(high: Message, low: Message)
  }

  private struct Setting {
    let channel: Channel
    let kind: Kind
    /// The messages that make the setting, in order.
    let messages: [Message]
  }

  /// The maximum number of settings that are recorded. It is more than sixteen channels need in normal use.
  private static let limit = 512

  private var settings: [Setting] = []

  /// The messages that make all settings again, in order.
  var messages: [Message] { settings.flatMap(\.messages) }

  /// The messages that make the settings of a channel again, in order.
  func messages(on channel: Channel) -> [Message] { settings.lazy.filter { $0.channel == channel }.flatMap(\.messages) }

  /// The channels with settings.
  var channels: Set<Channel> { Set(settings.map(\.channel)) }

  /// Records that `message` was sent, if it is a setting.
  mutating func record(_ message: Message) {
    guard let channel = message.channel else { return }
    switch message {
    case .programChange:
      // The bank belongs to the setting of the program, because a later Bank Select does not change the bank of this program.
      let bank = [0, 32].flatMap { self.messages(of: .controller($0), on: channel) }
      set(.program, on: channel, bank + [message])
    case .channelPressure: set(.pressure, on: channel, [message])
    case .pitchBend: set(.bend, on: channel, [message])
    case .controlChange(_, let controller, _):
      switch controller.value {
      // Data Entry (high and low bits) sets the value of the selected parameter.
      case 6, 38:
        guard let parameter = selectedParameter(on: channel) else { return }
        let kind = Kind.parameter(high: parameter.high, low: parameter.low)
        // The recorded messages of a parameter are the two messages that select it, and then the Data Entry messages. The new message
        // replaces the earlier message of the same controller.
        let others = messages(of: kind, on: channel).dropFirst(2).filter { $0.controller != controller.value }
        set(kind, on: channel, [parameter.high, parameter.low] + others + [message])
      // Portamento Control acts on the next note only. Data Increment and Decrement are relative.
      case 84, 96, 97: break
      case 121: settings.removeAll { $0.channel == channel && Self.isReset($0.kind) }
      // The other channel mode messages are not settings.
      case 120...127: break
      default: set(.controller(controller.value), on: channel, [message])
      }
    default: break
    }
  }

  /// Removes the settings of a channel.
  ///
  /// - Parameter program: the default program of the channel.
  /// - Returns: the messages that return the channel to its defaults; empty if there are no settings.
  mutating func release(_ channel: Channel, defaultProgram program: UInt7) -> [Message] {
    let released = settings.filter { $0.channel == channel }
    guard !released.isEmpty else { return [] }
    settings.removeAll { $0.channel == channel }
    func control(_ controller: UInt8, _ value: UInt8) -> Message {
      .controlChange(channel, controller: UInt7(masking: controller), value: UInt7(masking: value))
    }
    var messages: [Message] = []
    var hasProgram = false
    for setting in released {
      switch setting.kind {
      case .program, .controller(0), .controller(32): hasProgram = true
      case .controller(let number):
        if let value = Self.defaultValue(of: number) { messages.append(control(number, value)) }
      case .parameter(control(101, 0), control(100, 0)):
        // Pitch bend range: two semitones.
        messages += setting.messages.prefix(2) + [control(6, 2), control(38, 0)]
      case .parameter(control(101, 0), control(100, 1)), .parameter(control(101, 0), control(100, 2)):
        // Fine and coarse tuning: the centre.
        messages += setting.messages.prefix(2) + [control(6, 64), control(38, 0)]
      // No default of other parameters is standardized. Controller 121 (Reset All Controllers) below resets pressure and pitch bend.
      case .parameter, .pressure, .bend: break
      }
    }
    if hasProgram { messages += [control(0, 0), control(32, 0), .programChange(channel, program: program)] }
    return messages + [control(121, 0)]
  }

  private func messages(of kind: Kind, on channel: Channel) -> [Message] {
    settings.first { $0.channel == channel && $0.kind == kind }?.messages ?? []
  }

  /// Replaces a setting. The new setting becomes the last one in the order.
  private mutating func set(_ kind: Kind, on channel: Channel, _ messages: [Message]) {
    // There is at most one former setting. `remove(at:)` moves all later settings at once. `removeAll` would move them one by one.
    let former = settings.firstIndex { $0.channel == channel && $0.kind == kind }
    if let former { settings.remove(at: former) }
    if settings.count < Self.limit { settings.append(Setting(channel: channel, kind: kind, messages: messages)) }
  }

  /// The messages that select the present parameter of a channel; nil if none is selected.
  private func selectedParameter(on channel: Channel) -> (high: Message, low: Message)? {
    // Controllers 101 and 100 select a registered parameter, controllers 99 and 98 a non-registered parameter. The newest of these
    // messages decides which pair counts. The value 127 in both controllers of the pair selects no parameter.
    let last = settings.last {
      if $0.channel == channel, case .controller(98...101) = $0.kind { true } else { false }
    }
    guard case .controller(let number)? = last?.kind else { return nil }
    let (high, low): (UInt8, UInt8) = number >= 100 ? (101, 100) : (99, 98)
    guard case .controlChange(_, _, let first)? = messages(of: .controller(high), on: channel).first,
      case .controlChange(_, _, let second)? = messages(of: .controller(low), on: channel).first,
      first != 127 || second != 127
    else { return nil }
    return (
      .controlChange(channel, controller: UInt7(masking: high), value: first),
      .controlChange(channel, controller: UInt7(masking: low), value: second)
    )
  }

  /// Whether Reset All Controllers resets a setting.
  private static func isReset(_ kind: Kind) -> Bool {
    switch kind {
    case .pressure, .bend: true
    case .controller(let number): defaultValue(of: number) == nil
    case .program, .parameter: false
    }
  }

  /// The value that a controller gets when a channel is released; nil if Reset All Controllers resets it.
  private static func defaultValue(of controller: UInt8) -> UInt8? {
    switch controller {
    // Modulation and Expression (the controllers of the high and of the low bits), pedals, selection of a parameter.
    case 1, 11, 33, 43, 64...67, 98...101: nil
    case 7: 100  // Volume
    case 8, 10, 70...79: 64  // Balance, Pan, sound controllers
    default: 0
    }
  }
}

extension Message {
  /// The number of the controller of a Control Change.
  fileprivate var controller: UInt8? {
    if case .controlChange(_, let controller, _) = self { controller.value } else { nil }
  }
}
