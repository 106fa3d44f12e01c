import MusicalTime

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

    @_noLocks @_noAllocation
    init(rate: Int64, depth: Int64) { (self.rate, self.depth, octets) = (rate, depth, depth) }

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
  private var common = Share(rate: 150_000, depth: 9_000)
  private var new = Share(rate: 30_000, depth: 8_000)

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
