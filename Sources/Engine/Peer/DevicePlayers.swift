import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import RTPMIDI
import Text
import Transports

/// The MIDI devices that the player has adopted: each is a player of this peer while it is connected. A device is an RTP-MIDI device without
/// Tutti that is in session, or a port of the ALSA sequencer.
struct DevicePlayers {
  /// An adopted device.
  struct Device {
    /// The name or the address by which the player has given the device.
    let selector: String
    let name: String
    let identity: Identity
    fileprivate(set) var state = AdoptedDevice()
  }

  /// A device that was connected or disconnected.
  struct Change {
    let device: Device
    let isConnected: Bool
  }

  private static var interval: Nanoseconds { .milliseconds(500) }

  private(set) var devices: [Device] = []
  /// When ``connect(sessions:ports:at:)`` looks for the devices next.
  private var nextSearch = Instant(nanoseconds: .min)
  /// The total that was sent to the devices last.
  private var sentTotal: UInt8?

  /// Adopts the device `text`: `DEVICE` or `DEVICE=NAME`.
  ///
  /// - Returns: the reason why this is not possible, and a remedy; nil: the device is adopted as soon as it is connected.
  mutating func adopt(_ text: String, by peer: Identity) -> String? {
    let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let selector = parts.first?.trimmed, !selector.isEmpty,
      let name = (parts.count > 1 ? parts[1] : selector).cleanName()
    else { return "no device; give the name of a MIDI port or of an RTP-MIDI device, such as `adopt Keystep=Emil`" }
    guard !devices.contains(where: { $0.selector == selector }) else { return "it is adopted already" }
    guard devices.count < AdoptedDevice.maximumCount else {
      return "this peer has \(AdoptedDevice.maximumCount) devices already, the limit; adopt it at another peer"
    }
    // The same device at the same peer is always the same player.
    let octets = Array("\(peer) \(selector)".utf8)
    devices.append(Device(selector: selector, name: name, identity: Identity(DocumentDigest(of: octets).high | 1)))
    nextSearch = Instant(nanoseconds: .min)
    return nil
  }

  /// Connects the devices that are present, and disconnects those that have left. Called in each round of the control thread.
  ///
  /// - Parameters:
  ///   - sessions: the RTP-MIDI devices without Tutti in session.
  ///   - ports: returns the ports of the ALSA sequencer that send.
  mutating func connect(
    sessions: () -> [(id: SessionID, reference: PeerReference)], ports: () -> [SequencerPort], at now: Instant
  ) -> [Change] {
    guard !devices.isEmpty, now >= nextSearch else { return [] }
    nextSearch = now + Self.interval
    let (sessions, ports) = (sessions(), ports())
    var changes: [Change] = []
    for index in devices.indices {
      let selector = devices[index].selector
      let session = sessions.first { $0.reference.isDevice(called: selector) }
      let port = session == nil ? try? ports.find(selector, sending: true) : nil
      let source: AdoptedDevice.Source =
        if let session { .session(session.id) } else if let port { .port(port.address) } else { .none }
      guard source != devices[index].state.source else { continue }
      if devices[index].state.source != .none {
        changes.append(Change(device: devices[index], isConnected: false))
      }
      devices[index].state.source = source
      guard source != .none else { continue }
      devices[index].state.connections &+= 1
      changes.append(Change(device: devices[index], isConnected: true))
      sentTotal = nil
    }
    return changes
  }

  /// The identity of the device with this index.
  func identity(_ index: Int) -> Identity? { devices.indices.contains(index) ? devices[index].identity : nil }

  /// The devices as the network thread needs them.
  func table(in ensemble: EnsembleState) -> InlineArray<4, AdoptedDevice> {
    InlineArray { index in
      guard devices.indices.contains(index) else { return AdoptedDevice() }
      var state = devices[index].state
      let identity = devices[index].identity
      state.channel = (ensemble.channelOfLocal(identity) ?? Channel(wire: 15)).wire
      state.energy = ensemble.energy(of: identity) ?? 0
      state.isMuted = ensemble.isMuted(identity)
      return state
    }
  }

  /// The connected devices to which the total must be sent, because it has changed; none if it has not.
  mutating func receivers(of total: UInt8) -> [AdoptedDevice.Source] {
    let connected = devices.map(\.state.source).filter { $0 != .none }
    guard !connected.isEmpty, total != sentTotal else { return [] }
    sentTotal = total
    return connected
  }
}

extension PeerReference {
  /// Whether the player means this RTP-MIDI device: `selector` is its name or its address, with or without the port.
  func isDevice(called selector: String) -> Bool {
    name == selector || address?.description == selector || address?.hostDescription == selector
  }
}

extension String {
  fileprivate var trimmed: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }
}
