import MusicalTime
import RTPMIDI

/// The limit of what is sent on all streams together whose receivers acknowledge nothing: 200 000 octets in any second, without the
/// headers of UDP and IP.
///
/// Without a limit, a thousand sessions that never acknowledge would get 20 MB/s, because the journals of their streams are never trimmed.
/// Four fifths of the limit are for all such streams. The rest is for streams that are new, so that streams that never acknowledge cannot
/// use up what a new receiver needs until its first acknowledgement.
struct UnacknowledgedBudget: BitwiseCopyable {
  /// What is sent, in the order in which it is withheld last.
  enum Priority: Int64, BitwiseCopyable {
    /// Start, Continue, Song Position and Clock; the ends of notes.
    case clock
    /// Notes that begin, controllers and other messages of players.
    case message
    /// Recovery journals and guard packets.
    case journal
    /// System Exclusive messages.
    case exclusive
  }

  /// A number of octets that grows with time. It becomes negative if a packet is longer than the rest.
  private struct Share: BitwiseCopyable {
    /// Octets per second.
    let rate: Int64
    /// The maximum of ``octets``: the largest burst.
    let depth: Int64
    var octets: Int64
    var refilled = Instant(nanoseconds: .min)

    /// Whether there is room for something of this priority. The lowest priority needs three quarters of the depth, the highest any room.
    @_noLocks @_noAllocation
    mutating func hasRoom(for priority: Priority, at now: Instant) -> Bool {
      if refilled == Instant(nanoseconds: .min) { refilled = now }
      let gained = Swift.min((now - refilled).count, 1_000_000_000) / Self.granule
      if gained > 0 {
        octets = Swift.min(depth, octets + gained * rate / (1_000_000_000 / Self.granule))
        refilled = now - Nanoseconds((now - refilled).count % Self.granule)
      }
      return octets > depth * priority.rawValue / 4
    }

    /// The octets are refilled in steps of this number of nanoseconds, in which both rates gain whole octets.
    private static var granule: Int64 { @_noLocks @_noAllocation get { 100_000 } }
  }

  // In any second, each share gives at most its rate, its depth, and the rest of one packet: less than 200 000 octets together.
  private var common = Share(rate: 150_000, depth: 9_000, octets: 9_000)
  private var new = Share(rate: 30_000, depth: 8_000, octets: 8_000)

  @_noLocks @_noAllocation
  init() {}

  /// Returns whether something of this priority may be sent.
  ///
  /// - Parameter isNew: whether the stream is new.
  @_noLocks @_noAllocation
  mutating func admits(_ priority: Priority, isNew: Bool, at now: Instant) -> Bool {
    if isNew, new.hasRoom(for: priority, at: now) { return true }
    return common.hasRoom(for: priority, at: now)
  }

  /// Takes the octets of a packet that is sent.
  @_noLocks @_noAllocation
  mutating func charge(_ octets: Int, isNew: Bool) {
    if isNew, new.octets > 0 { new.octets -= Int64(octets) } else { common.octets -= Int64(octets) }
  }
}

// The limit of what receivers get that acknowledge nothing (``UnacknowledgedBudget``).
//
// Many standard devices never acknowledge. Sixteen of them with a clock of 999 BPM get all ticks, but not always a journal. A receiver
// that lacks a tick, Start or Continue leaves the rhythm, and begins again at a later bar, with Song Position and Continue.
extension StreamSender {
  /// How long an acknowledgement counts. Known receivers acknowledge every one to three seconds while they receive.
  private static var acknowledgedTime: Nanoseconds { @_noLocks @_noAllocation get { .seconds(10) } }
  /// How long after its first packet a stream is new.
  private static var newTime: Nanoseconds { @_noLocks @_noAllocation get { .seconds(5) } }

  /// Records that the receiver of the stream in a slot has received all packets up to `sequence`.
  @_noLocks @_noAllocation
  mutating func acknowledge(_ sequence: UInt16, on slot: Int) {
    let next = senders[slot].sequence
    // A number that was not sent yet, or that does not increase, is no acknowledgement.
    if next.isAfter(sequence), !streams[slot].hasAcknowledged || sequence.isAfter(streams[slot].acknowledged) {
      (streams[slot].hasAcknowledged, streams[slot].acknowledged) = (true, sequence)
      streams[slot].isAcknowledgementNew = true
    }
    senders[slot].acknowledge(sequence)
  }

  /// Returns whether something of this priority may be sent on the stream in a slot. Counts what is withheld.
  @_noLocks @_noAllocation
  mutating func admits(_ priority: UnacknowledgedBudget.Priority, on slot: Int, at now: Instant) -> Bool {
    if isAcknowledging(slot, at: now) { return true }
    if budget.admits(priority, isNew: isNew(slot, at: now), at: now) { return true }
    if case .journal = priority { withheldJournals += 1 } else { withheld += 1 }
    return false
  }

  /// Takes the octets of ``packet`` from the budget, unless the receiver acknowledges.
  @_noLocks @_noAllocation
  mutating func charge(on slot: Int, at now: Instant) {
    guard !isAcknowledging(slot, at: now) else { return }
    budget.charge(packet.count, isNew: isNew(slot, at: now))
  }

  /// Whether the receiver has acknowledged within ``acknowledgedTime``. The time counts from the first packet after the acknowledgement.
  @_noLocks @_noAllocation
  private mutating func isAcknowledging(_ slot: Int, at now: Instant) -> Bool {
    if streams[slot].isAcknowledgementNew {
      streams[slot].isAcknowledgementNew = false
      streams[slot].trustedUntil = now + Self.acknowledgedTime
    }
    return now < streams[slot].trustedUntil
  }

  @_noLocks @_noAllocation
  private mutating func isNew(_ slot: Int, at now: Instant) -> Bool {
    if streams[slot].newUntil == .distantFuture { streams[slot].newUntil = now + Self.newTime }
    return now < streams[slot].newUntil
  }
}
