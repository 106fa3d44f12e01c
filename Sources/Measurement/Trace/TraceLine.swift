import Foundation
import MusicalTime

/// A line of a trace after the header.
enum TraceLine {
  case tick(TraceTick)
  case action(TraceAction)
  case hit(TraceHit)
  case energy(TraceEnergy)
  case motion(TraceMotion)
  case participant(TraceParticipant)
  case layers(TraceLayers)
  case summary(TraceSummary)

  /// The error for a line of valid JSON that has invalid or missing values, or is in the wrong place in the trace.
  struct InvalidLine: Error { let reason: String }

  /// Parses a line.
  ///
  /// - Throws: ``InvalidLine`` or `DecodingError`.
  init(_ line: ArraySlice<UInt8>) throws {
    // Nearly all lines are ticks, hits or energies, as this program writes them. The scanner is fast, but reads only such lines. The JSON
    // decoder reads the other lines.
    var scanner = LineScanner(line)
    let members = try scanner.scan() ?? JSONDecoder().decode(Members.self, from: Data(line))
    if let summary = members.summary {
      self = .summary(summary)
      return
    }
    try members.checkRange()
    if let at = members.instant(.at) {
      self = try Self.activity(members, at: at)
      return
    }
    if let participant = members.participant {
      self = .participant(participant)
      return
    }
    if let action = members.instant(.action) {
      guard let force = members[.force], (1...127).contains(force) else {
        throw InvalidLine(reason: "an action without a force of 1...127")
      }
      self = .action(TraceAction(at: action, force: UInt8(force), by: members.player))
      return
    }
    if let hit = members.instant(.hit), let step = members.instant(.step),
      let scheduled = members.instant(.scheduled), let firstFrame = members.instant(.firstFrame)
    {
      self = .hit(TraceHit(due: hit, step: step, scheduled: scheduled, firstFrame: firstFrame))
      return
    }
    guard let tick = members[.tick], let due = members.instant(.due), let acted = members.instant(.acted) else {
      throw InvalidLine(reason: "not a complete tick, hit, action, activity or summary")
    }
    if let activity = members[.activity], !(0...127).contains(activity) {
      throw InvalidLine(reason: "activity \(activity) is not 0...127")
    }
    let path = TickPath(
      woken: members.instant(.woken), sent: members.instant(.sent), sentAhead: members.instant(.sentAhead),
      masterSent: members.instant(.masterSent), received: members.instant(.received))
    self = .tick(
      TraceTick(
        tick: Tick(tick), due: due, acted: acted, offset: members[.offset].map { Nanoseconds($0) },
        uncertainty: members[.uncertainty].map { Nanoseconds($0) }, activity: members[.activity].map { UInt8($0) },
        path: path))
  }

  /// Returns the energy, the movement or the layers of a line with the instant `at`.
  private static func activity(_ members: Members, at: Instant) throws -> TraceLine {
    if let layers = members.layers { return .layers(TraceLayers(at: at, layers)) }
    guard let number = members[.who].flatMap({ Int(exactly: $0) }), number >= 0 else {
      throw InvalidLine(reason: "an activity without the number of a player")
    }
    func level(_ key: Key) throws -> UInt8? {
      guard let value = members[key] else { return nil }
      guard (0...127).contains(value) else { throw InvalidLine(reason: "\(key.name) \(value) is not 0...127") }
      return UInt8(value)
    }
    if let strength = try level(.motion) { return .motion(TraceMotion(at: at, of: number, strength)) }
    return .energy(TraceEnergy(at: at, of: number, try level(.energy)))
  }

  /// The keys of a line.
  fileprivate enum Key: Int, CaseIterable {
    case tick, due, acted, offset, uncertainty, activity, action, force, summary
    // The instants of a tick on its way.
    case woken, sent, sentAhead, masterSent, received
    // The instants of a hit.
    case hit, step, scheduled, firstFrame
    // The activity of a player.
    case at, who, energy, motion

    /// Whether the value is an instant, a duration or the number of a tick, and not a level.
    var isBounded: Bool {
      switch self {
      case .activity, .force, .energy, .motion, .summary: false
      default: true
      }
    }

    /// The key in the file.
    var name: String {
      switch self {
      case .sentAhead: "sent_ahead"
      case .masterSent: "master_sent"
      case .firstFrame: "first_frame"
      default: "\(self)"
      }
    }
  }

  /// The values of a line; nil for missing keys.
  fileprivate struct Members: Decodable {
    var summary: TraceSummary?
    /// The player of an action; nil: the local player.
    var player: TraceAction.Player?
    var participant: TraceParticipant?
    /// The names of the layers that sound.
    var layers: [String]?
    private var numbers = [Int64?](repeating: nil, count: Key.allCases.count)

    init() {}

    init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: MemberName.self)
      player = try container.decodeIfPresent(TraceAction.Player.self, forKey: MemberName(stringValue: "player"))
      layers = try container.decodeIfPresent([String].self, forKey: MemberName(stringValue: "layers"))
      if player != nil, container.contains(MemberName(stringValue: TraceParticipant.CodingKeys.number.rawValue)) {
        participant = try TraceParticipant(from: decoder)
      }
      for key in Key.allCases {
        let name = MemberName(stringValue: key.name)
        if key == .summary {
          summary = try container.decodeIfPresent(TraceSummary.self, forKey: name)
        } else {
          self[key] = try container.decodeIfPresent(Int64.self, forKey: name)
        }
      }
    }

    subscript(key: Key) -> Int64? {
      get { numbers[key.rawValue] }
      set { numbers[key.rawValue] = newValue }
    }

    func instant(_ key: Key) -> Instant? { self[key].map { Instant(nanoseconds: $0) } }

    /// Checks the numbers that are instants, durations or tick numbers.
    ///
    /// - Throws: ``InvalidLine`` for a magnitude of 2^61 or more (73 years in nanoseconds), because differences could overflow.
    func checkRange() throws {
      for key in Key.allCases where key.isBounded {
        guard let value = self[key], value < -TraceTick.limit || value > TraceTick.limit else { continue }
        let unit = key == .tick ? "" : " ns (73 years)"
        throw InvalidLine(reason: "\(key.name) is \(value), but its magnitude must be less than 2^61\(unit)")
      }
    }
  }

  /// Parses a flat JSON object of integers and nulls, in a tenth of the time of a general JSON parser.
  private struct LineScanner {
    private let line: ArraySlice<UInt8>
    private var index: Int

    /// The keys with their quotes and colons.
    private static let keys = Key.allCases.map { (key: $0, text: "\"\($0.name)\":") }

    init(_ line: ArraySlice<UInt8>) {
      self.line = line
      index = line.startIndex
    }

    /// Returns the values of the line, or nil if it contains anything but a tick, a hit, an energy or a movement.
    mutating func scan() -> Members? {
      var members = Members()
      guard take("{") else { return nil }
      repeat {
        guard let key = Self.keys.first(where: { take($0.text) })?.key else { return nil }
        if !take("null") { members[key] = number() }
      } while take(",")
      let isComplete = members[.acted] != nil || members[.firstFrame] != nil || members[.at] != nil
      return take("}") && index == line.endIndex && isComplete ? members : nil
    }

    /// Advances past `text` if the rest of the line begins with it. Returns whether it does.
    private mutating func take(_ text: String) -> Bool {
      let end = index + text.utf8.count
      guard end <= line.endIndex, line[index..<end].elementsEqual(text.utf8) else { return false }
      index = end
      return true
    }

    /// Reads an integer of at most 18 digits. Returns nil if there is no digit. If the number is longer or not an integer, the
    /// scan fails at the next character.
    private mutating func number() -> Int64? {
      let negative = take("-")
      let start = index
      var value: Int64 = 0
      while index < line.endIndex, index - start < 18, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(line[index]) {
        value = value * 10 + Int64(line[index] - UInt8(ascii: "0"))
        index += 1
      }
      guard index > start else { return nil }
      return negative ? -value : value
    }
  }
}

/// An action of a player in a trace: a note that the player began, before any quantization.
public struct TraceAction: Hashable, Sendable {
  /// A player on a web page or a device of the peer.
  public struct Player: Hashable, Sendable, Codable {
    /// Sixteen hexadecimal digits.
    public var identity: String
    public var name: String

    public init(identity: String, name: String) { (self.identity, self.name) = (identity, name) }
  }

  /// The instant of the action, in local time of the peer. For a note from an ALSA port, it is the time stamp of the ALSA
  /// sequencer. For a key or a typed command, it is the instant at which the network thread received the note. For a web page, it is the
  /// instant of the touch, by the clock of the peer.
  public var instant: Instant
  /// The force of the action, 1...127: the velocity of the note.
  public var force: UInt8
  /// The player; nil: the local player.
  public var player: Player?

  public init(at instant: Instant, force: UInt8, by player: Player? = nil) {
    (self.instant, self.force, self.player) = (instant, force, player)
  }

  /// The action as a line with a newline.
  var line: String {
    let start = "{\"action\":\(instant.nanoseconds),\"force\":\(force)"
    guard let player, let octets = try? JSONEncoder().encode(player) else { return start + "}\n" }
    return start + ",\"player\":" + String(decoding: octets, as: UTF8.self) + "}\n"
  }
}
