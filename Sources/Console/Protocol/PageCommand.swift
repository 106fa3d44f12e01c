import Engine
import Ensemble
import Foundation
import MusicalTime
import NIOCore
import PeerProtocol
import Rhythm

/// A command of a page, decoded from JSON: `{"do": "tempo", "bpm": 96}`. <doc:Protocol> lists all commands.
enum PageCommand: Equatable {
  /// A command for the control thread of the peer.
  case player(PlayerCommand)
  /// Plays the rhythm of the library with this name.
  case selectPatch(String)
  /// Starts a calibration, in which all pages click, one after another.
  case calibrate
  /// The answer of a page to a frame ``FrameKind/clicks``: whether the page clicks in this turn.
  case clicking(turn: Int, Bool)

  /// The JSON object. Each command uses some of the fields.
  private struct Fields: Decodable {
    /// The name of the command, such as `tempo`.
    var verb: String
    var bpm: Double?
    var bars: Int?
    var part: String?
    var percent: Int?
    var on: Bool?
    var peer: String?
    var name: String?
    var rule: String?
    var key: Int?
    var velocity: Int?
    var value: Int?
    var turn: Int?
    var kind: String?
    var controller: Int?
    var action: String?
    var host: String?
    var who: String?

    private enum CodingKeys: String, CodingKey {
      case verb = "do"
      case bpm, bars, part, percent, on, peer, name, rule, key, velocity, value, turn, kind, controller, action
      case host, who
    }
  }

  /// The commands that ``Access/play`` permits.
  private static let playerVerbs: Set<String> = ["activity", "clicking", "note", "phrase", "shape"]

  /// Decodes a command. Nil if it is malformed, if a value is out of range, or if `access` does not permit the command.
  init?(_ payload: ByteBuffer, access: Access) {
    guard let fields = try? JSONDecoder().decode(Fields.self, from: Data(payload.readableBytesView)),
      access == .lead || Self.playerVerbs.contains(fields.verb)
    else { return nil }
    if fields.verb == "patch" {
      guard let name = fields.name else { return nil }
      self = .selectPatch(name)
      return
    }
    if fields.verb == "calibrate" {
      self = .calibrate
      return
    }
    if fields.verb == "clicking" {
      guard let turn = fields.turn, let isOn = fields.on else { return nil }
      self = .clicking(turn: turn, isOn)
      return
    }
    guard let command = Self.command(fields) else { return nil }
    self = .player(command)
  }

  private static func command(_ fields: Fields) -> PlayerCommand? {
    switch fields.verb {
    case "start": .start
    case "stop": .stop
    case "continue": .continue
    case "count-in": (1...4).contains(fields.bars ?? 1) ? .countIn(bars: fields.bars ?? 1) : nil
    case "tempo": fields.bpm.flatMap { try? Tempo(bpm: $0) }.map { .setTempo($0) }
    case "nudge": fields.bpm.flatMap { abs($0) <= 100 ? .tempo(by: $0) : nil }
    case "level": part(fields).flatMap { part in percent(fields).map { .level(part, $0) } }
    case "plays": part(fields).flatMap { part in fields.on.map { .plays(part, $0) } }
    case "loudness": percent(fields).map { .loudness($0) }
    case "quiet": fields.on.map { .quiet($0) }
    case "mute": identity(fields).flatMap { peer in fields.on.map { .mute(peer, $0) } }
    case "total": fields.rule.flatMap(TotalActivityRule.init).map { .total($0) }
    case "activity": fields.value.flatMap { (0...127).contains($0) ? .activity(UInt8($0)) : nil }
    case "offer": fields.peer == nil ? .offer(to: nil) : identity(fields).map { .offer(to: $0) }
    case "take": .take
    case "connect": fields.host.map { .connect(toHost: $0) }
    case "policy": fields.who.flatMap(ConnectionPolicy.Kind.init).map { .policy($0) }
    case "gate": gate(fields)
    case "note": note(fields)
    case "shape": shape(fields)
    case "phrase": phrase(fields).map { .phrase($0) }
    default: nil
    }
  }

  private static func part(_ fields: Fields) -> Part? { Part.allCases.first { $0.name == fields.part } }

  private static func percent(_ fields: Fields) -> Int? {
    fields.percent.flatMap { (0...100).contains($0) ? $0 : nil }
  }

  /// The identity of a remote peer. Names are not accepted, because several peers may have the same name.
  private static func identity(_ fields: Fields) -> String? {
    fields.peer.flatMap { Identity($0) }.map { "\($0)" }
  }

  private static func gate(_ fields: Fields) -> PlayerCommand? {
    guard let peer = identity(fields), let isOpen = fields.on, let kind = fields.kind,
      Gate.allCases.contains(where: { "\($0)" == kind })
    else { return nil }
    return .gate("\(peer):\(kind)=\(isOpen ? "open" : "closed")")
  }

  private static func note(_ fields: Fields) -> PlayerCommand? {
    guard let key = fields.key, let velocity = fields.velocity, (0...127).contains(key), (0...127).contains(velocity)
    else { return nil }
    return .note(UInt8(key), velocity: UInt8(velocity))
  }

  private static func shape(_ fields: Fields) -> PlayerCommand? {
    guard let peer = identity(fields), let controller = fields.controller, let value = fields.value,
      (0...127).contains(controller), (0...127).contains(value)
    else { return nil }
    return .shape(peer, controller: UInt8(controller), value: UInt8(value))
  }

  private static func phrase(_ fields: Fields) -> PhraseCommand? {
    switch fields.action {
    case "record": (1...8).contains(fields.bars ?? 2) ? .record(bars: fields.bars ?? 2) : nil
    case "send": identity(fields).map { .send(to: $0) }
    case "play": .play
    case "vary": .vary
    case "stop": .stop
    default: nil
    }
  }
}
