import Ensemble
import MusicalTime
import PeerProtocol
import Testing

@Suite struct SoundLeadTests {
  @Test func rhythmStartsLaterWhenTheSoundNeedsItsStepsEarlier() throws {
    let now = Instant(nanoseconds: 0)
    // The sound lead, and the instant of the first step. A rhythm starts at least 100 ms ahead, and 20 ms before its first
    // step is passed to the sound. A sound lead never decreases.
    for (soundLeads, first) in [([], 100), ([60], 100), ([200], 220), ([200, 60], 220)] as [([Int64], Int64)] {
      var ensemble = EnsembleState(identity: Identity(1))
      for lead in soundLeads { ensemble.raiseSoundLead(to: .milliseconds(lead)) }
      try ensemble.start(tempo: .standard, at: now)
      #expect(ensemble.schedule.deadline(Tick(0)) == now + .milliseconds(first), "\(soundLeads)")
      #expect(ensemble.soundLead == .milliseconds(max(50, soundLeads.max() ?? 0)))
    }
  }
}
