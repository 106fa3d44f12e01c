import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Scores
import Sending
import Text
import Transports

/// A MIDI device that plays a part of the score: `--score-to`.
public struct ScoreDevice: Hashable, Sendable {
  /// An ALSA port or an RTP-MIDI device, by name or address.
  public var device: String
  /// The name or the number of the part.
  public var part: String

  public init(device: String, part: String) { (self.device, self.part) = (device, part) }
}

/// The MIDI devices that play parts of the score, as far as they are connected.
///
/// The first part of a device has channel 1, the second one channel 2, and so on without channel 10. Percussion has channel 10.
struct ScoreDevices {
  private static var interval: Nanoseconds { .milliseconds(500) }

  private let wanted: [ScoreDevice]
  /// For each element of `wanted`, the device that was found last.
  private var targets: [ScoreRoutes.Route.Target?]
  /// The score to which ``routes`` belong.
  private var digest: DocumentDigest?
  private var routes: [ScoreRoutes.Route] = []
  /// When ``connect(_:score:sessions:ports:at:)`` looks for the devices next.
  private var nextSearch = Instant(nanoseconds: .min)

  /// - Parameter devices: those after the sixteenth are left out.
  init(_ devices: [ScoreDevice]) {
    wanted = Array(devices.prefix(ScoreRoutes.maximum))
    targets = Array(repeating: nil, count: wanted.count)
  }

  /// Looks for the devices and for their parts. Called in each round of the control thread.
  ///
  /// - Parameters:
  ///   - digest: the digest of `score`.
  ///   - score: the score that plays or would play next.
  ///   - sessions: the RTP-MIDI devices without Tutti in session.
  ///   - ports: returns the ports of the ALSA sequencer.
  /// - Returns: the routes if they have changed, and what the player is told.
  mutating func connect(
    _ digest: DocumentDigest?, score: Score?, sessions: () -> [(stream: StreamID, reference: PeerReference)],
    ports: () -> [SequencerPort], at now: Instant
  ) -> (routes: ScoreRoutes?, notices: [Notice]) {
    let isNew = score != nil && digest != self.digest
    guard !wanted.isEmpty, isNew || now >= nextSearch else { return (nil, []) }
    nextSearch = now + Self.interval
    let (sessions, ports) = (sessions(), ports())
    let before = targets
    targets = wanted.map { Self.target(of: $0.device, sessions, ports) }
    var notices: [Notice] = []
    for (index, device) in wanted.enumerated() where before[index] != targets[index] {
      let change = targets[index] == nil ? "disconnected; it plays the part again when it returns" : "connected"
      notices.append(
        Notice("\(device.device), for the part \(device.part): \(change)", .notice, .sessions, of: device.device))
    }
    guard let score else { return (nil, notices) }
    self.digest = digest
    var found: [ScoreRoutes.Route] = []
    for (index, device) in wanted.enumerated() {
      guard let part = score.part(called: device.part) else {
        if isNew {
          let line =
            "--score-to \(device.device)=\(device.part): the score has no such part; give one of: \(score.partList)"
          notices.append(Notice(line, .warning, .patches, of: "the score"))
        }
        continue
      }
      guard let target = targets[index] else { continue }
      let isPercussion = score.parts[part].isPercussion
      // The channel does not depend on which other devices are connected.
      let earlier = wanted[..<index].count { other in
        other.device == device.device
          && score.part(called: other.part).map { !score.parts[$0].isPercussion } ?? true
      }
      let channel = isPercussion ? 9 : earlier < 9 ? earlier : min(earlier + 1, 15)
      found.append(ScoreRoutes.Route(part: UInt8(part), target: target, channel: Channel(wire: UInt8(channel))))
    }
    guard found != routes else { return (nil, notices) }
    routes = found
    return (ScoreRoutes(found), notices)
  }

  private static func target(
    of device: String, _ sessions: [(stream: StreamID, reference: PeerReference)], _ ports: [SequencerPort]
  ) -> ScoreRoutes.Route.Target? {
    let session = sessions.first { $0.reference.isDevice(called: device) }
    if let session { return .stream(session.stream) }
    return (try? ports.find(device, sending: false)).map { .port($0.address) }
  }
}

extension Score {
  /// The index of the part with this name, or with this number, counted from 1; nil if there is none.
  func part(called name: String) -> Int? {
    let place = name.hasPrefix("#") ? name.dropFirst() : nil
    return (place == nil ? parts.firstIndex { $0.name.lowercased() == name.lowercased() } : nil)
      ?? Int(place ?? name[...]).flatMap { parts.indices.contains($0 - 1) ? $0 - 1 : nil }
  }

  /// The numbers and names of all parts, for the player.
  var partList: String { parts.enumerated().map { "\($0 + 1) \($1.name)" }.joined(separator: ", ") }
}
