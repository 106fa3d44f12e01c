import MusicalTime
import PeerProtocol
import Rhythm

@testable import Engine

extension PeerSnapshot {
  /// The snapshot of a peer that is idle and has no session.
  static func idle() throws -> PeerSnapshot {
    let text = "name: test\ndescription: A test.\ntempo: 100\nplay:\n  always:\n    kick: x... .... .... ....\n"
    return PeerSnapshot(
      at: Instant(nanoseconds: 1_000_000_000), name: "Ada", identity: Identity(1), channel: nil, role: .idle,
      tempo: .standard, bar: 1, beat: 1, meter: .common, activity: 64, base: nil, total: 64, isMuted: false,
      instrumentName: nil,
      sessions: 0,
      members: [], players: [], pagePhrases: [:], devices: 0, hosts: nil, furtherHosts: 0, policy: .anyone,
      hasContacts: false,
      leader: nil, hasExternalClock: false, isOffered: false, asks: false, totalActivityRule: .sum, mix: Mix(),
      schedule: .silence, patch: try PatchLoader.patch(from: text, file: "test"), patchName: "test", patchNumber: 1,
      patchTick: Tick(0), hasRhythm: true,
      lostTicks: 0, lead: .milliseconds(100), soundLead: .milliseconds(50), phrases: PhraseStatus(),
      failedFiles: [])
  }
}
