import Engine
import Ensemble
import Foundation
import Measurement
import MusicalTime
import NIOCore
import PeerProtocol
import Playback
import Realtime

/// The state that the pages show, as the newest payload of each kind of frame. Used on the event loop only.
final class SharedState {
  /// The least time between two frames ``FrameKind/levels``, unless the ensemble changes. While nothing changes, a snapshot arrives every
  /// 100 ms. The least time is a little shorter, so that each of these snapshots can cause a frame.
  private static let levelInterval = Nanoseconds.milliseconds(90)
  /// The time after which a follower sends the rhythm to its pages again, because its estimate of the master's clock changes.
  private static let rhythmInterval = Nanoseconds.seconds(1)

  /// The newest payload of each kind, and the instant for which it was computed.
  private(set) var payloads: [FrameKind: (octets: ByteBuffer, at: Instant)] = [:]

  /// Whether the pages may move to other peers (``ConsoleConfiguration/movesPages``).
  var movesPages = false

  private let encoder: JSONEncoder
  // The values from which the present payloads were computed.
  private var ensemble: JSONObject?
  private var alternatives: JSONObject?
  private var schedule: PlaybackSchedule?
  private var role: Role?
  private var patches: PatchesDescription?
  private var patchNumber: UInt32?
  private var identity: Identity?
  private var patchName: String?
  /// What the present payloads `score` and `route` show.
  private var stand: (digest: DocumentDigest?, isHere: Bool, levels: [Int], lines: [PeerSnapshot.Stand.Line]) = (
    nil, false, [], []
  )
  /// The tick of the change of the tempo in the present payload `rhythm`.
  private var nextTempo = Tick(.max)
  /// The instants of the present payloads `rhythm` and `levels`.
  private var rhythmAt = Instant(nanoseconds: .min)
  private var levelsAt = Instant(nanoseconds: .min)

  init() {
    encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  /// Updates the payloads from a snapshot. Returns the kinds of payloads that have changed.
  func update(_ snapshot: PeerSnapshot) -> [FrameKind] {
    var changed: [FrameKind] = []
    // A peer that has started again with a new identity counts its patches from zero.
    let isSamePeer = identity == snapshot.identity
    identity = snapshot.identity
    if !isSamePeer || snapshot.patchNumber != patchNumber || snapshot.patchName != patchName {
      (patchNumber, patchName) = (snapshot.patchNumber, snapshot.patchName)
      let patches = PatchesDescription(snapshot, after: isSamePeer ? self.patches : nil)
      self.patches = patches
      if set(.patch, json: patches, at: snapshot.at) { changed.append(.patch) }
    }
    let role = snapshot.role
    let isOld = role.master != nil && snapshot.at - rhythmAt >= Self.rhythmInterval
    // A frame contains only the next change of the tempo.
    let nextTempo = snapshot.schedule.tempo.change(after: snapshot.schedule.tick(at: snapshot.at))
    if snapshot.schedule != schedule || role != self.role || nextTempo != self.nextTempo || isOld {
      (schedule, self.role, rhythmAt, self.nextTempo) = (snapshot.schedule, role, snapshot.at, nextTempo)
      var octets = ByteBuffer()
      octets.writeRhythm(snapshot)
      payloads[.rhythm] = (octets, snapshot.at)
      changed.append(.rhythm)
    }
    changed += update(snapshot.stand, at: snapshot.at)
    let ensemble = snapshot.ensembleJSON
    if ensemble != self.ensemble, set(.ensemble, json: ensemble, at: snapshot.at) { changed.append(.ensemble) }
    self.ensemble = ensemble
    let alternatives = movesPages ? snapshot.alternativesJSON : nil
    if let alternatives, alternatives != self.alternatives, set(.alternatives, json: alternatives, at: snapshot.at) {
      changed.append(.alternatives)
    }
    self.alternatives = alternatives
    // The payloads `ensemble` and `levels` list the members in the same order. Therefore a new `ensemble` requires new `levels`.
    if snapshot.at - levelsAt >= Self.levelInterval || changed.contains(.ensemble) {
      levelsAt = snapshot.at
      var octets = ByteBuffer()
      octets.writeLevels(snapshot)
      if payloads[.levels]?.octets != octets {
        payloads[.levels] = (octets, snapshot.at)
        changed.append(.levels)
      }
    }
    return changed
  }

  /// Updates the payloads `score` and `route`. Returns those that have changed. Describing a long score takes milliseconds, so it is done only
  /// after a change.
  private func update(_ stand: PeerSnapshot.Stand?, at now: Instant) -> [FrameKind] {
    let new = (stand?.digest, stand?.score != nil, stand?.levels ?? [], stand?.lines ?? [])
    let isSameScore = payloads[.score] != nil && self.stand.digest == new.0 && self.stand.isHere == new.1
    let (isSame, isSameRoute) = (isSameScore && self.stand.levels == new.2, isSameScore && self.stand.lines == new.3)
    self.stand = new
    var changed: [FrameKind] = []
    if !isSame, set(.score, json: StandDescription(stand), at: now) { changed.append(.score) }
    if !isSameRoute, set(.route, json: RouteDescription(stand), at: now) { changed.append(.route) }
    return changed
  }

  /// Sets a payload to the JSON form of `value`. Returns whether the payload has changed.
  @discardableResult
  func set(_ kind: FrameKind, json value: some Encodable, at now: Instant = MonotonicClock.now) -> Bool {
    guard let data = try? encoder.encode(value) else { return false }
    let octets = ByteBuffer(bytes: data)
    guard payloads[kind]?.octets != octets else { return false }
    payloads[kind] = (octets, now)
    return true
  }
}

/// The newest messages to the player, at most ``maximumCount``, such as the reason why a command was not executed.
struct Notices {
  /// A message to the player.
  struct Notice: Encodable {
    /// The number of the message. The first message after the start of the peer has the number 1.
    var number: Int
    /// `info`, `notice`, `warning` or `error`.
    var level: String
    /// The text in English, as on the terminal.
    var text: String
  }

  static let maximumCount = 8
  /// The maximum length of a text in characters.
  static let maximumLength = 500

  /// The newest messages, oldest first.
  private(set) var newest: [Notice] = []
  private var count = 0

  mutating func add(_ text: String, level: String) {
    count += 1
    newest.append(Notice(number: count, level: level, text: String(text.prefix(Self.maximumLength))))
    if newest.count > Self.maximumCount { newest.removeFirst() }
  }
}
