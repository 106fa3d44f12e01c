/// The header of a packet's recovery journal (RFC 6295 section 5, figure 8), three octets:
///
///     S Y A H TOTCHAN[4] | checkpoint packet's sequence number 16
///
/// Behind it come the system journal, if Y, and TOTCHAN + 1 channel journals, if A. Each of these states its own length
/// in ten bits, so the journal can be walked without reading a chapter of it.
public struct RecoveryJournalHeader: Hashable, Sendable, BitwiseCopyable {
  /// The packet up to which the journal need not be read.
  public let checkpoint: UInt16

  /// Reads the header and walks the journal, which must end where `extent` does.
  ///
  /// - Throws: ``PacketError/malformedJournal``.
  ///
  /// Real-time: safe.
  @_noLocks @_noAllocation
  public init(_ packet: borrowing Span<UInt8>, in extent: Extent) throws(PacketError) {
    guard extent.count >= 3 else { throw .malformedJournal }
    let flags = packet[extent.start]
    checkpoint = packet.uint16(at: extent.start + 1)
    var position = extent.start + 3
    // System journal: S D V Q F X LENGTH[10]. Channel journal: S CHAN[4] H LENGTH[10], then an octet of chapter flags.
    if flags & 0x40 != 0 {
      position = try Self.skip(packet, from: position, shortest: 2, end: extent.end)
    }
    if flags & 0x20 != 0 {
      for _ in 0...flags & 0x0F { position = try Self.skip(packet, from: position, shortest: 3, end: extent.end) }
    }
    guard position == extent.end else { throw .malformedJournal }
  }

  /// The place behind the journal that begins at `position`. Its length counts its own header.
  @_noLocks @_noAllocation
  private static func skip(
    _ packet: borrowing Span<UInt8>, from position: Int, shortest: Int, end: Int
  ) throws(PacketError) -> Int {
    guard position + shortest <= end else { throw .malformedJournal }
    let length = Int(packet.uint16(at: position) & 0x03FF)
    guard length >= shortest && position + length <= end else { throw .malformedJournal }
    return position + length
  }
}
