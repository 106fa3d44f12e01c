import Foundation
import MusicalTime
import Realtime
import Synchronization
import _TestSupport

/// A standard RTP-MIDI device on its own thread that sends MIDI clock at 97.3 BPM.
///
/// Each tick has the time stamp of its due time and is sent up to 3 ms late.
final class DrumMachine: @unchecked Sendable {
  static let bpm = 97.3

  /// The control port.
  let port: UInt16
  /// In each group of this number of ticks, one tick is lost: its packet is encoded but not sent. 0 for no losses.
  private let lossInterval: Int64
  /// Used on the thread only.
  private let device: StandardDevice
  private let isEnding = Atomic(false)
  private let sendsStop = Atomic(true)
  private let done = DispatchSemaphore(value: 0)
  /// The due time of tick 0 in nanoseconds; 0 before it is known.
  private let originStorage = Atomic<Int64>(0)

  /// - Parameters:
  ///   - lossInterval: the number of ticks in a group of which one is lost; 0 for no losses.
  ///   - port: the control port; 0 for any free port.
  ///   - origin: the due time of tick 0 of an earlier drum machine, whose rhythm this drum machine continues; nil for a new rhythm,
  ///     which begins with Start.
  init(losingOneTickIn lossInterval: Int64 = 0, port: UInt16 = 0, continuingFrom origin: Instant? = nil) throws {
    let device = try StandardDevice("Drums", port: port)
    (self.device, self.lossInterval, self.port) = (device, lossInterval, device.port)
    if let origin { originStorage.store(origin.nanoseconds, ordering: .releasing) }
    let thread = Thread { [self] in
      play()
      done.signal()
    }
    thread.start()
  }

  /// The due time of tick 0; 0 before it is known.
  var origin: Instant { Instant(nanoseconds: originStorage.load(ordering: .acquiring)) }

  /// The due time of `tick`.
  static func dueTime(of tick: Int64, since origin: Instant) -> Instant {
    origin + Nanoseconds(Int64(Double(tick) * 60e9 / bpm / 24))
  }

  /// Ends all sessions with BY.
  ///
  /// - Parameter sendingStop: whether the device sends Stop before BY.
  func leave(sendingStop: Bool = true) {
    sendsStop.store(sendingStop, ordering: .releasing)
    isEnding.store(true, ordering: .releasing)
    done.wait()
  }

  /// Handles datagrams and sends the ticks to the peer of the newest session, until ``leave(sendingStop:)``.
  private func play() {
    var random = SplitMix(seed: 11)
    var (tick, knownOrigin) = (Int64(0), Instant?.none)
    let continues = self.origin.nanoseconds != 0
    var lateness = Nanoseconds.zero
    while !isEnding.load(ordering: .acquiring) {
      device.serve()
      guard device.receiver != nil else { continue }
      let origin = knownOrigin ?? (continues ? self.origin : MonotonicClock.now + .milliseconds(500))
      // A rhythm that continues begins with the first tick that is not yet due.
      if knownOrigin == nil, continues {
        while Self.dueTime(of: tick, since: origin) < MonotonicClock.now { tick += 1 }
      }
      knownOrigin = origin
      originStorage.store(origin.nanoseconds, ordering: .releasing)
      let due = Self.dueTime(of: tick, since: origin)
      guard MonotonicClock.now >= due + lateness else { continue }
      if tick == 0 { device.send(.start, at: due) }
      // After tick 24, each tick whose remainder modulo the loss interval is 7 is lost.
      device.send(.clock, at: due, isLost: lossInterval > 0 && tick > 24 && tick % lossInterval == 7)
      tick += 1
      lateness = Nanoseconds(random.integer(in: 0...3_000_000))
    }
    if sendsStop.load(ordering: .acquiring) { device.send(.stop) }
    device.leave()
  }
}
