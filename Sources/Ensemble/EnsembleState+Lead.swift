public import MusicalTime
import PeerProtocol

// The lead time: how far in advance a change is announced. It covers the audio output of the local peer, and the phones and laptops
// on which players of the ensemble play. Each peer reports the delay of its own page (``PageReport``), because the master announces
// changes early enough for all pages.
extension EnsembleState {
  /// The largest ``lead`` that web pages can require.
  public static var maximumPageLead: Nanoseconds { .milliseconds(400) }
  /// The margin that ``lead`` adds to the time that the audio output or the slowest web page needs.
  private static var leadMargin: Nanoseconds { .milliseconds(20) }

  /// Sets ``soundLead`` to a greater value, because the audio output needs its steps earlier. ``lead`` increases if necessary.
  public mutating func raiseSoundLead(to newLead: Nanoseconds) {
    soundLead = max(soundLead, newLead)
    lead = max(lead, soundLead + Self.leadMargin)
  }

  /// Adapts ``lead`` to the web pages of the local peer and of the members. ``lead`` becomes at least 20 ms longer than the time from
  /// the sending of a change to its sound on the slowest page, but web pages increase it to at most ``maximumPageLead``. While the
  /// local peer is the master, ``lead`` only increases: no change may take effect before an earlier one.
  ///
  /// - Parameter coversPages: whether the web pages count. False if the peer has an external clock: this clock announces nothing in
  ///   advance, and with a long lead, the rhythm could not follow its tempo changes.
  public mutating func adaptLead(coversPages: Bool) {
    if roster.members.isEmpty { remotePageDelay = .zero }
    let delay = coversPages ? max(page.delay, remotePageDelay) : .zero
    let pageLead = delay > .zero ? min(delay + Self.leadMargin, Self.maximumPageLead) : .zero
    let needed = max(leadWithoutPages, pageLead)
    lead = role == .master ? max(lead, needed) : needed
  }

  /// ``lead`` as it is without web pages. The lead of a remote master may be as short as this, if its players have no pages.
  public var leadWithoutPages: Nanoseconds { max(minimumLead, soundLead + Self.leadMargin) }
}
