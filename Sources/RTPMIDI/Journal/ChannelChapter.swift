/// The chapters of a channel journal. The raw value is the position of the flag in ``ChannelJournalHeader/chapters``,
/// counted from the most significant bit.
enum ChannelChapter: UInt8, BitwiseCopyable {
  case p, c, m, w, n, e, t, a

  var flag: UInt8 { @_noLocks @_noAllocation get { 0x80 >> rawValue } }
}
