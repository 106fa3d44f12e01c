import MusicalTime

// Suspension of the machine, such as a laptop whose lid is closed.
extension Peer {
  /// Handles the end of a suspension: logs it and invites the remote peers again. CLOCK_MONOTONIC stands still during a suspension.
  /// Therefore the clocks of all remote peers are measured again, and the peer joins the rhythm at the next step.
  func resume(after duration: Nanoseconds, at now: Instant) {
    let seconds = (duration.seconds * 10).rounded() / 10
    log.notice("this machine: was suspended for \(seconds) s; the peer connects to the other peers again")
    core.resume(at: now)
  }
}
