import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The effects of the sound lead and of the players' phones on the lead time, which determines when a rhythm starts. The sound lead is
/// how long before its deadline a step is passed to the audio output.
@Suite struct SoundLeadTests {
  @Test func rhythmStartsLaterWhenTheSoundNeedsItsStepsEarlier() throws {
    let now = Instant(nanoseconds: 0)
    // Each row contains the sound leads that are requested, and the time from the start command to the first step, both in
    // milliseconds. This time is at least 100 ms. The first step is passed to the audio output at least 20 ms after the start
    // command. A sound lead is at least 50 ms, and never decreases.
    for (soundLeads, first) in [([], 100), ([60], 100), ([200], 220), ([200, 60], 220)] as [([Int64], Int64)] {
      var ensemble = EnsembleState(identity: Identity(1))
      for soundLead in soundLeads { ensemble.raiseSoundLead(to: .milliseconds(soundLead)) }
      try ensemble.start(tempo: .standard, at: now)
      #expect(ensemble.schedule.deadline(Tick(0)) == now + .milliseconds(first), "\(soundLeads)")
      #expect(ensemble.soundLead == .milliseconds(max(50, soundLeads.max() ?? 0)))
    }
  }

  @Test func leadCoversTheSlowestPhone() throws {
    let now = Instant(nanoseconds: 0)
    // Each row contains the delay to the sound of the slowest phone, and the time from the start command to the first step, both in
    // milliseconds. This time is at least 100 ms, and at least 20 ms longer than the delay, but the phones lengthen it to 400 ms at most.
    // The delay is rounded up to a multiple of 10 ms.
    for (delay, first) in [(0, 100), (30, 100), (180, 200), (361, 390), (700, 400)] as [(Int64, Int64)] {
      var ensemble = EnsembleState(identity: Identity(1))
      ensemble.page = PageReport(delay: .milliseconds(delay))
      ensemble.adaptLead(coversPages: true)
      try ensemble.start(tempo: .standard, at: now)
      #expect(ensemble.schedule.deadline(Tick(0)) == now + .milliseconds(first), "\(delay)")
    }
  }

  @Test func leadDecreasesOnlyWhenTheLocalPeerIsNotTheMaster() throws {
    var ensemble = EnsembleState(identity: Identity(1))
    func adapt(to delay: Nanoseconds) {
      ensemble.page = PageReport(delay: delay)
      ensemble.adaptLead(coversPages: true)
    }
    // The lead is 20 ms longer than the delay of the page.
    adapt(to: .milliseconds(280))
    adapt(to: .milliseconds(180))
    #expect(ensemble.lead == .milliseconds(200))
    try ensemble.start(tempo: .standard, at: Instant(nanoseconds: 0))
    // A master keeps the longer lead.
    adapt(to: .milliseconds(280))
    adapt(to: .zero)
    #expect(ensemble.lead == .milliseconds(300))
    try ensemble.stop(now: Instant(nanoseconds: 1_000_000_000))
    ensemble.advance(to: Instant(nanoseconds: 3_000_000_000))
    #expect(ensemble.role == .idle)
    adapt(to: .zero)
    #expect(ensemble.lead == .milliseconds(100))
  }

  /// The page needs only 10 ms, but the sound lead is 200 ms. The lead is 20 ms longer than the sound lead.
  @Test func leadIsNeverTooShortForTheSound() {
    var ensemble = EnsembleState(identity: Identity(1))
    ensemble.raiseSoundLead(to: .milliseconds(200))
    ensemble.page = PageReport(delay: .milliseconds(10))
    ensemble.adaptLead(coversPages: true)
    #expect(ensemble.lead == .milliseconds(220))
  }

  @Test func leadDoesNotCoverPhonesWhileAnExternalClockLeads() {
    var ensemble = EnsembleState(identity: Identity(1))
    ensemble.page = PageReport(delay: .milliseconds(200))
    ensemble.adaptLead(coversPages: false)
    #expect(ensemble.lead == .milliseconds(100))
  }
}
