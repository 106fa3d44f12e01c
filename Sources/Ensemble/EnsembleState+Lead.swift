public import MusicalTime
import PeerProtocol

// The lead time: how far in advance a change is announced. It is long enough for the audio output of the local peer, and for the web
// pages on the phones and laptops of all players. Each peer reports the delay of its own web page (``PageReport``), so that the master
// can announce changes early enough for all pages.
extension EnsembleState {
  /// The largest ``lead`` that web pages can require.
  public static var maximumPageLead: Nanoseconds { .milliseconds(400) }
  /// The margin that ``lead`` adds to the time that the audio output or the slowest web page needs.
  private static var leadMargin: Nanoseconds { .milliseconds(20) }

  /// Raises ``soundLead`` to `newLead`, because the audio output needs its steps earlier, and raises ``lead`` if necessary. Neither
  /// value decreases.
  public mutating func raiseSoundLead(to newLead: Nanoseconds) {
    soundLead = max(soundLead, newLead)
    lead = max(lead, soundLead + Self.leadMargin)
  }

  /// Adapts ``lead`` to the web pages of the local peer and of the members. ``lead`` becomes at least 20 ms longer than the time from
  /// the sending of a change to its sound on the slowest page. Web pages raise ``lead`` to at most ``maximumPageLead``. While the
  /// local peer is the master, ``lead`` only increases, because no change may take effect before an earlier change.
  ///
  /// - Parameter coversPages: whether ``lead`` depends on the web pages. False if the local peer has an external clock. An external clock
  ///   does not announce its tempo changes, and with a long lead time, the rhythm could not follow them.
  public mutating func adaptLead(coversPages: Bool) {
    if roster.members.isEmpty { remotePageDelay = .zero }
    let delay = coversPages ? max(page.delay, remotePageDelay) : .zero
    let pageLead = delay > .zero ? min(delay + Self.leadMargin, Self.maximumPageLead) : .zero
    let needed = max(leadWithoutPages, pageLead)
    lead = role == .master ? max(lead, needed) : needed
  }

  /// The value that ``lead`` has without web pages. The lead time of a remote master can be as short as this value, if no player uses a
  /// web page.
  public var leadWithoutPages: Nanoseconds { max(minimumLead, soundLead + Self.leadMargin) }
}
