import BasicContainers
import Ensemble
import MIDI
import MusicalTime
import PeerProtocol
import Playback
import RTPMIDI

/// The sending halves of all sessions of a virtual peer, and what is sent on them: the work of the engine's clock thread,
/// in the same order.
final class VirtualStreams {
  private let wire: Wire
  private let source: SocketAddress
  private let clock: VirtualClock
  private var streams: [VirtualStream] = []
  private var bySession: [SessionID: VirtualStream] = [:]
  private var packet = RigidArray<UInt8>(capacity: PacketPool.slotLength)
  private var octets = RigidArray<UInt8>(capacity: 96)
  /// When the soonest guard packet may be due, by the own clock.
  private(set) var guardsDue = Instant.distantFuture

  init(wire: Wire, host: Int, clock: VirtualClock) {
    (self.wire, self.clock) = (wire, clock)
    source = SocketAddress(host: host, .data)
  }

  private var now: Instant { clock.own(at: wire.now) }

  func open(_ session: SessionID, to address: SocketAddress, ssrc: UInt32, sequence: UInt16, takesClock: Bool) {
    let stream = VirtualStream(
      session: session, address: address, ssrc: ssrc, sequence: sequence, takesClock: takesClock)
    streams.append(stream)
    bySession[session] = stream
  }

  func close(_ session: SessionID) {
    guard bySession.removeValue(forKey: session) != nil else { return }
    streams.removeAll { $0.session == session }
  }

  func recognise(_ session: SessionID) {
    guard let stream = bySession[session] else { return }
    (stream.isRecognised, stream.takesClock) = (true, true)
    stream.sender.sendsInstants = true
  }

  func stamp(_ session: SessionID, _ isStamped: Bool) { bySession[session]?.isStamped = isStamped }
  func journal(_ session: SessionID, _ isSent: Bool) { bySession[session]?.sender.sendsJournal = isSent }
  func acknowledge(_ session: SessionID, _ sequence: UInt16) { bySession[session]?.sender.acknowledge(sequence) }

  /// Sends a System Exclusive message to one session or to all Tutti peers that `admits` names.
  func send(
    exclusive data: [UInt8], to session: SessionID?, isJournalled: Bool, where admits: (SocketAddress) -> Bool
  ) {
    octets.removeAll()
    guard data.count <= octets.freeCapacity else { return }
    for octet in data { octets.append(octet) }
    for stream in session.map({ self.streams(of: $0) }) ?? streams.filter(\.isRecognised) where admits(stream.address) {
      packet.removeAll()
      if stream.sender.encode(systemExclusive: octets, from: 0, at: now, isJournalled: isJournalled, into: &packet)
        != nil
      {
        deliver(stream)
      }
    }
  }

  /// Sends what a player plays, or what counts at an instant of the own clock.
  func send(_ message: Message, at instant: Instant?, to receiver: StreamCommand.Receiver) {
    let meant =
      switch receiver {
      case .session(let session): streams(of: session)
      case .tutti: streams.filter(\.isRecognised)
      case .foreign: streams.filter { !$0.isRecognised }
      }
    for stream in meant { send(message, at: instant ?? now, on: stream) }
  }

  private func streams(of session: SessionID) -> [VirtualStream] { bySession[session].map { [$0] } ?? [] }

  /// Sends the ticks up to `tick` that each receiver of the kind has not had.
  func sendClock(_ tick: Tick, of schedule: PlaybackSchedule, stamped: Bool) {
    for stream in streams where stream.isStamped == stamped && stream.run == schedule.run {
      while stream.next <= tick {
        send(.clock, at: schedule.deadline(stream.next), on: stream)
        stream.next = stream.next + 1
      }
    }
  }

  /// Lets those begin who can begin at `tick`.
  func begin(at tick: Tick, of schedule: PlaybackSchedule, in bars: Bars, stamped: Bool) {
    guard bars.begins(at: tick, of: schedule) else { return }
    for stream in streams where stream.isStamped == stamped && stream.takesClock && stream.run != schedule.run {
      let instant = schedule.deadline(tick)
      if tick.index == 0 {
        send(.start, at: instant, on: stream)
      } else {
        send(.songPosition(bars.songPosition(of: tick.step)), at: instant, on: stream)
        send(.continue, at: instant, on: stream)
      }
      (stream.run, stream.next) = (schedule.run, tick)
    }
  }

  func takesPart(in run: UInt32, stamped: Bool) -> Bool {
    streams.contains { $0.run == run && $0.isStamped == stamped }
  }

  /// Sends Stop, which counts at `instant`, to all of the kind that take part in a run.
  func stop(at instant: Instant, stamped: Bool) {
    for stream in streams where stream.isStamped == stamped && stream.run != 0 {
      send(.stop, at: instant, on: stream)
      stream.run = 0
    }
  }

  /// Sends the guard packets due by now (RFC 4696, section 4.2).
  func sendGuards(at now: Instant) {
    guard guardsDue <= now else { return }
    guardsDue = .distantFuture
    for stream in streams {
      if stream.guardDue <= now { sendGuard(on: stream) }
      guardsDue = min(guardsDue, stream.guardDue)
    }
  }

  private func sendGuard(on stream: VirtualStream) {
    stream.guardDue = .distantFuture
    guard stream.sender.sendsJournal, stream.sender.hasUnacknowledged else { return }
    packet.removeAll()
    guard stream.sender.encodeGuard(at: now, into: &packet) else { return }
    transmit(stream)
    stream.guards += 1
    if let pause = GuardPackets.pause(after: stream.guards) { stream.guardDue = now + pause }
  }

  private func send(_ message: Message, at instant: Instant, on stream: VirtualStream) {
    packet.removeAll()
    if stream.sender.encode(message, at: instant, into: &packet) { deliver(stream) }
  }

  private func deliver(_ stream: VirtualStream) {
    transmit(stream)
    (stream.guards, stream.guardDue) = (0, .distantFuture)
    guard stream.sender.sendsJournal, stream.sender.hasUnacknowledged else { return }
    if let pause = GuardPackets.pause(after: 0) { stream.guardDue = now + pause }
    guardsDue = min(guardsDue, stream.guardDue)
  }

  /// Gives the packet to the network. To a Tutti peer it says when that was.
  private func transmit(_ stream: VirtualStream) {
    if stream.sender.sendsInstants {
      let instant = UInt64(bitPattern: now.nanoseconds)
      for index in 0..<8 {
        packet[RTPHeader.instantOffset + index] = UInt8(truncatingIfNeeded: instant >> UInt64(56 - 8 * index))
      }
    }
    wire.send(packet, from: source, to: stream.address)
  }
}
