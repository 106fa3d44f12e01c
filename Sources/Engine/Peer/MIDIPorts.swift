import Ensemble
import MusicalTime
import Realtime
import Transports

/// The ALSA ports of a peer, as the control thread sees them. The network thread reads the ports.
/// It plays the channel messages at the port `in` itself, and passes all other arrivals (``SequencerArrival``) to the control thread.
///
/// The ports `clock` and `notes` are outputs; `in` and `clock in` are inputs. External clocks are connected to `clock in`, which exists
/// only if `--clock-from` names an ALSA port.
struct MIDIPorts {
  let sequencer: Sequencer
  /// How often a buffer of the kernel or of this program has overflowed, so that arrivals were lost.
  private(set) var overflows: Int64 = 0
  /// The number of unused arrivals: events without a MIDI message (``SequencerArrival/Event/ignored``), and messages that came to
  /// the port `clock in` from a port that is no external clock.
  var ignored: Int64 = 0
  /// Whether the player was informed that a MIDI clock arrives at the port `in`, where it is not used.
  var hasReportedClock = false
  private var reconnections = Reconnections()
  private let clockOffsets: [ClockOffset]
  /// The subscribers of the port `clock`.
  private var clockSubscribers: Set<SequencerAddress> = []
  /// The number of lost arrivals at the last call of ``checkLosses(_:at:)``.
  private var knownLosses = 0

  /// Opens the ports. Returns nil if no port is configured.
  ///
  /// - Parameter clocks: gets the configured external clocks.
  /// - Throws: ``TransportError`` if there is no ALSA sequencer, or if the port of an external clock does not exist.
  init?(_ configuration: PeerConfiguration, addingTo clocks: inout ClockArbiter) throws(TransportError) {
    let names: [String] = configuration.clockFrom.compactMap { if case .port(let name) = $0 { name } else { nil } }
    guard configuration.midi || !names.isEmpty else { return nil }
    clockOffsets = configuration.clockOffsets
    sequencer = try Sequencer(
      name: configuration.name, takingClock: !names.isEmpty, alternative: ", or omit --midi and --clock-from")
    do throws(TransportError) {
      for name in names {
        let port = try sequencer.ports().find(name, sending: true)
        try sequencer.subscribe(SequencerLink(.clockInput, port.address))
        clocks.connect(port.name, .port(port.address))
      }
    } catch {
      sequencer.close()
      throw error
    }
  }

  /// When ``advance(to:)`` must be called next.
  var nextDeadline: Instant { reconnections.nextDue ?? .distantFuture }

  /// Restores the connections to ports that have returned.
  mutating func advance(to now: Instant) {
    for link in reconnections.due(at: now, ports: sequencer.ports()) {
      do throws(TransportError) { try sequencer.subscribe(link) } catch { reconnections.refused(link, at: now) }
    }
  }

  /// Changes of the connections.
  struct Changes {
    var connections: [Reconnections.Change] = []
    /// New subscribers of the port `clock`.
    var joined: [SequencerAddress] = []
    /// Former subscribers of the port `clock`.
    var left: [SequencerAddress] = []
  }

  /// The name and the offset of a subscriber of the port `clock` that has an offset; nil for any other subscriber.
  func offset(ofSubscriber address: SequencerAddress) -> (name: String, offset: Nanoseconds)? {
    guard !clockOffsets.isEmpty, let port = sequencer.ports().first(where: { $0.address == address }) else {
      return nil
    }
    for clockOffset in clockOffsets where (try? [port].find(clockOffset.port, sending: false)) != nil {
      return (port.name, clockOffset.offset)
    }
    return nil
  }

  /// Handles an arrival without a MIDI message: an announcement of the sequencer, an overflow or an unused event. Returns the changes of
  /// the connections. Changes of the external clocks are applied to `clocks`.
  mutating func record(_ arrival: SequencerArrival, clocks: inout ClockArbiter) -> Changes {
    var changes = Changes()
    switch arrival.event {
    case .message: return changes
    case .ignored:
      ignored += 1
      return changes
    case .overflow: return readConnections(at: arrival.at, &clocks)
    case .subscribed(let link) where link.port == .clock:
      if clockSubscribers.insert(link.other).inserted { changes.joined = [link.other] }
    case .subscribed(let link) where link.port == .clockInput:
      listen(to: link.other, &clocks)
    case .unsubscribed(let link): changes = forget(at: link.port, &clocks) { $0 == link.other }
    case .portExited(let address): changes = forget(&clocks) { $0 == address }
    case .clientExited(let client): changes = forget(&clocks) { $0.client == client }
    case .subscribed, .portStarted, .portChanged, .clientChanged: break
    }
    changes.connections = reconnections.record(arrival.event, at: arrival.at, ports: sequencer.ports())
    return changes
  }

  /// Reads all connections again if arrivals were lost since the last call.
  ///
  /// - Parameter count: the number of arrivals that were lost between the network thread and this thread, since the start.
  /// - Returns: the changes; nil if no arrival was lost.
  mutating func checkLosses(_ count: Int, at now: Instant, clocks: inout ClockArbiter) -> Changes? {
    guard count != knownLosses else { return nil }
    knownLosses = count
    return readConnections(at: now, &clocks)
  }

  /// Reads all connections from the kernel after arrivals were lost. Returns the changes.
  private mutating func readConnections(at now: Instant, _ clocks: inout ClockArbiter) -> Changes {
    overflows += 1
    let (links, ports) = (sequencer.links(), sequencer.ports())
    // First, all known connections are forgotten. Then the connections that the kernel reports are added again.
    var changes = forget(&clocks) { _ in true }
    // `changes.left` now has all former subscribers. Only the difference between the former and the present subscribers is a change.
    let subscribers = Set(links.filter { $0.port == .clock }.map(\.other))
    (changes.joined, changes.left) = (
      Array(subscribers.subtracting(changes.left)), changes.left.filter { !subscribers.contains($0) }
    )
    clockSubscribers = subscribers
    // External clocks that are still connected are used again.
    for link in links where link.port == .clockInput { listen(to: link.other, &clocks) }
    changes.connections = reconnections.resynchronize(links: links, ports: ports, at: now)
    return changes
  }

  /// Uses the port at `address` as an external clock, because it is connected to the port `clock in`.
  private func listen(to address: SequencerAddress, _ clocks: inout ClockArbiter) {
    clocks.connect(sequencer.ports().first { $0.address == address }?.name ?? "\(address)", .port(address))
  }

  /// Removes connections that have ended. Returns the former subscribers of the port `clock`.
  ///
  /// - Parameters:
  ///   - port: the port of this peer whose connections have ended; nil: all ports.
  ///   - matches: whether the connection to the port with this address has ended.
  private mutating func forget(
    at port: Sequencer.Port? = nil, _ clocks: inout ClockArbiter, _ matches: (SequencerAddress) -> Bool
  ) -> Changes {
    var changes = Changes()
    if port == nil || port == .clockInput {
      clocks.disconnect { source in
        guard case .port(let client, let port) = source else { return false }
        return matches(SequencerAddress(client: client, port: port))
      }
    }
    if port == nil || port == .clock {
      changes.left = clockSubscribers.filter(matches)
      clockSubscribers.subtract(changes.left)
    }
    return changes
  }
}

extension ClockInput.Source {
  static func port(_ address: SequencerAddress) -> Self { .port(client: address.client, port: address.port) }
}
