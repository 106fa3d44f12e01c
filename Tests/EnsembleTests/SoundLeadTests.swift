import Ensemble
import MusicalTime
import PeerProtocol
import Testing

/// The effect of the sound lead on the start of a rhythm. The sound lead is how long before its deadline a step is passed to the
/// audio output.
@Suite struct SoundLeadTests {
  @Test func rhythmStartsLaterWhenTheSoundNeedsItsStepsEarlier() throws {
    let now = Instant(nanoseconds: 0)
    // Each row contains the sound leads that are requested, and the time from the start command to the first step, both in
    // milliseconds. This time is at least 100 ms. The first step is passed to the audio output at least 20 ms after the start
    // command. A sound lead never decreases.
    for (soundLeads, first) in [([], 100), ([60], 100), ([200], 220), ([200, 60], 220)] as [([Int64], Int64)] {
      var ensemble = EnsembleState(identity: Identity(1))
      for lead in soundLeads { ensemble.raiseSoundLead(to: .milliseconds(lead)) }
      try ensemble.start(tempo: .standard, at: now)
      #expect(ensemble.schedule.deadline(Tick(0)) == now + .milliseconds(first), "\(soundLeads)")
      #expect(ensemble.soundLead == .milliseconds(max(50, soundLeads.max() ?? 0)))
    }
  }
}
