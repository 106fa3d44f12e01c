import Console
import Engine
import Ensemble
import Foundation
import MIDI
import Measurement
import MusicalTime
import PeerProtocol
import Realtime

// The events of `tutti peer --json`: one JSON object per line. Each has the members `event` and `at_ns`, the instant of the event in
// nanoseconds of CLOCK_MONOTONIC.

extension OutputWriter {
  /// The writer of the events. If the writer has discarded lines, an event states their number.
  static func events() -> OutputWriter {
    OutputWriter(STDOUT_FILENO) { #"{"event":"discarded","lines":\#($0)}"# + "\n" }
  }

  /// Writes `value` as one line of JSON.
  func write(json value: some Encodable) {
    guard let line = try? JSONEncoder.sorted.encode(value) else { return }
    write(String(decoding: line, as: UTF8.self) + "\n")
  }

  /// Writes an event.
  func write(event: String, at instant: Instant = MonotonicClock.now, _ members: JSONObject) {
    var line: JSONObject = ["event": event, "at_ns": instant.nanoseconds]
    line.merge(members)
    write(json: line)
  }

  /// Writes an event of the peer, unless it is not printed.
  func write(_ event: PeerEvent) {
    let peer = event.peer
    // The remote peer that the event is about. A standard device has no identity.
    var remote: JSONObject = [
      "name": peer?.name, "address": peer?.address?.description, "identity": peer?.identity?.description,
    ]
    func write(_ name: String, _ members: JSONObject) { self.write(event: name, at: event.at, members) }
    switch event.kind {
    case .joined: write("joined", remote)
    case .left: write("left", remote)
    case .reachedThrough(_, let relay):
      remote.merge(["relay": "\(relay)"])
      write("reached_through", remote)
    case .role(let role): write("role", ["role": role.description])
    case .tookOver: write("took_over", remote)
    case .offered: write("offered", remote)
    case .asksToLead: write("asks_to_lead", remote)
    case .muted(let isMuted): write(isMuted ? "muted" : "unmuted", [:])
    // The channel is 1...16, and is omitted if no channel is left.
    case .channel(let channel): write("channel", ["channel": channel?.number])
    case .total(let total): write("total_activity", ["total_activity": total])
    case .sounded(let message, _):
      let bytes = message.bytes
      remote.merge(["midi": (0..<bytes.count).map { Self.hexadecimal(bytes.octets[$0]) }.joined(separator: " ")])
      write("message", remote)
    case .fileFailed(let file, let reason): write("file_failed", ["file": file.rawValue, "reason": reason])
    case .playerMoved(let player): write("player_moved", ["identity": "\(player)"])
    case .players(let players): write("players", ["players": players.map(\.json)])
    case .roster(let roster):
      let peers = roster.map { entry in
        [
          "name": entry.peer.name, "identity": entry.peer.identity?.description, "channel": entry.channel,
          "weight_in": entry.weights?.inward, "weight_out": entry.weights?.outward,
          "relay": entry.relay.map { "\($0)" },
        ] as JSONObject
      }
      write("roster", ["peers": peers])
    default: break
    }
  }

  /// The two hexadecimal digits of an octet. `String(format:)` would take a quarter of the control thread's time in a flood of
  /// notes.
  private static func hexadecimal(_ octet: UInt8) -> String {
    (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
  }
}

extension PlayerStatus {
  /// The player as the event `players` shows it. The channel is omitted if the player shares channel 16.
  fileprivate var json: JSONObject {
    [
      "identity": "\(player.identity)", "peer": "\(peer)", "kind": "\(player.kind)", "name": player.name,
      "sign": "\(player.sign.colour) \(player.sign.shape)", "program": Int(player.instrument.octet),
      "channel": channel?.number, "energy": energy.map { Int($0) }, "muted": isMuted,
      "partner": player.partner.map { "\($0)" },
    ]
  }
}
