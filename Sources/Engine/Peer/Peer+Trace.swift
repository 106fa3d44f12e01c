import Audio
import BuildVersion
import Ensemble
import Foundation
public import Measurement
import MusicalTime
import PeerProtocol
import Realtime

// The trace of a peer, and the summary at its end.
extension Peer {
  /// The counters since the start of the peer.
  public var summary: TraceSummary {
    let sound = sound.counters
    if let newest = clock.rings.counters.take() { clockCounters = newest }
    if let newest = networkRings.counters.take() { networkCounters = newest }
    var summary = TraceSummary(role: trace.role.description)
    summary.ticksExpected = core.account.expected
    summary.ticksReceived = core.account.received
    summary.ticksLost = core.account.expected - core.account.received
    summary.hits = sound.hits
    summary.lateHits = sound.late
    summary.droppedHits = sound.dropped
    summary.underruns = sound.underruns
    // "discarded": the kernel dropped the datagram before any thread read it. `unseen`: the network thread read the datagram, but the
    // endpoint did not get it, because the ring to the control thread was full or the network thread dropped the datagram ("limited",
    // "not_authentic"). The endpoint counts these datagrams neither as received nor as dropped, so `unseen` is added to both counts.
    let unseen =
      Int64(networkRings.events.dropped + networkRings.datagrams.dropped) + networkCounters.limited
      + networkCounters.notAuthentic
    summary.others = [
      "late_hit_max_ns": sound.maximumLateness.count,
      "silent_frames": sound.silentFrames,
      "lost_frames": sound.lostFrames,
      "clipped_samples": sound.clippedSamples,
      "ticks_skipped": clockCounters.skipped,
      "ticks_unrecorded": Int64(clock.rings.ticks.dropped),
      "commands_dropped": Int64(clock.rings.commands.dropped + networkRings.commands.dropped),
      "datagrams_sent": clockCounters.sent,
      "datagrams_unsent": clockCounters.unsent,
      "packets_withheld": clockCounters.withheld,
      "journals_withheld": clockCounters.withheldJournals,
      "datagrams_discarded": discardedDatagrams,
      "datagrams_received": Int64(clamping: core.endpoint.counters.received) + unseen,
      "datagrams_dropped": Int64(clamping: core.endpoint.counters.dropped) + unseen,
      "exclusives_dropped": Int64(networkRings.exclusives.dropped),
      "datagrams_limited": networkCounters.limited,
      "datagrams_not_authentic": networkCounters.notAuthentic,
      "network_pauses": networkCounters.pauses,
      "timeline_messages_rejected": Int64(ensemble.rejected),
      "probes_rejected": Int64(clamping: core.endpoint.counters.rejectedExtensionPackets),
      "stamps_rejected": Int64(
        clamping: (core.endpoint.peerExtension?.rejectedStamps ?? 0) + core.endpoint.counters.implausibleClocks)
        + Int64(ensemble.stampsRejected),
      "clock_resets": Int64(ensemble.clockResets),
      "system_clock_steps": clockWarnings.system.steps,
      "clock_jumps": Int64(ensemble.clockJumps),
    ]
    if let card = self.sound.cardState {
      summary.others["card_delay_ns"] = card.delay.count
      summary.others["card_drift_ppb"] = Int64((card.drift * 1000).rounded())
      summary.others["card_losses"] = card.losses
    }
    if let externalClock {
      summary.others["clock_ticks_lost"] = externalClock.lost
      summary.others["clock_ticks_doubled"] = externalClock.duplicates
    }
    if let recording { summary.others["midi_recording_lost"] = recording.lost }
    if let midi {
      let lost = Int64(
        networkRings.arrivals.dropped + clock.rings.messages.dropped + clock.rings.playerMessages.dropped
          + clock.rings.sound.first.messages.dropped)
      summary.others["midi_dropped"] = networkCounters.refused + lost
      summary.others["midi_overflows"] = midi.overflows
      summary.others["midi_ignored"] = midi.ignored
      summary.others["midi_unsent"] = clockCounters.unsentToPort
    }
    return summary
  }

  /// Passes the ticks that the clock thread has played since the last call on to the tick account, the MIDI recording and the trace.
  /// Appends the hits that have sounded since then to the trace.
  func recordTicks(at now: Instant) {
    if ensemble.role != .idle { trace.masterClock = ensemble.masterClock(at: now) }
    do throws(TraceError) {
      while let record = clock.rings.ticks.pop() {
        core.account.played(
          record.tick, run: ensemble.schedule.run, start: ensemble.schedule.start, isOwn: ensemble.role == .master)
        recording?.append(record)
        try trace.append(record)
      }
      while let hit = clock.rings.sound.first.sounded?.pop() {
        // The first audio thread (``SoundRings/first``) plays all hits earlier by the delay after the sound card (`--latency`). This delay
        // is added to the instants of the hit again. It is not added to `scheduled`, because `scheduled` is the instant at which the clock
        // thread passed the hit to the audio thread.
        let delay = sound.subtractedLatency
        try trace.append(
          TraceHit(
            due: hit.due + delay, step: hit.step + delay, scheduled: hit.scheduled, firstFrame: hit.firstFrame + delay))
      }
      try trace.flush()
    } catch {
      // The rhythm continues without a trace.
      log.warning("\(error)")
    }
  }

  /// Adds an action of the player to the trace. If the trace cannot be written, logs this, and the rhythm continues.
  func record(_ action: TraceAction) {
    do throws(TraceError) { try trace.append(action) } catch { log.warning("\(error)") }
  }

  /// If this is due, passes the ticks, hits and messages since the last call on to the MIDI recording. ``recordTicks(at:)`` must have been
  /// called before with the same `now`.
  ///
  /// - Parameter isLast: whether the sound has ended. The call is then always due.
  func recordSound(at now: Instant, isLast: Bool = false) {
    guard isLast || recording?.isDue(at: now) == true else { return }
    recording?.pass(
      at: now, meter: patch.meter, soundingAt: { sound.sounding(at: $0) },
      reference: { core.roster[$0]?.reference })
  }
}

extension TraceHeader {
  /// Creates the header of the trace of a peer. `firstFrame` and `firstInstant` describe the recording of the peer. They are not
  /// used without a recording.
  init(
    _ configuration: PeerConfiguration, identity: Identity, schedulingPolicy: SchedulingPolicy, memoryLocked: Bool,
    firstFrame: Int64, firstInstant: Instant, hasClockPort: Bool
  ) {
    var recording: Audio?
    if let path = configuration.recording {
      recording = Audio(
        file: path, rate: Int(FrameGrid.standard.rate), firstFrame: firstFrame, firstInstant: firstInstant)
    }
    self.init(
      name: configuration.name, identity: "\(identity)", role: configuration.start ? "master" : "idle",
      version: Version.current, kernel: Machine.kernel, processor: Machine.processor, scheduler: "\(schedulingPolicy)",
      memoryLocked: memoryLocked, command: configuration.command, patch: configuration.patchName,
      activity: Int(configuration.activity ?? EnsembleState.moderateTotal), audio: recording,
      hasClockPort: hasClockPort,
      ntp: .current)
  }
}

/// The kernel and the processor of this machine, for the header of a trace.
enum Machine {
  /// The name and the version of the kernel.
  static var kernel: String {
    // The first three words of /proc/version are for example "Linux version 6.1.0".
    (try? String(contentsOfFile: "/proc/version", encoding: .utf8))?.split(separator: " ").prefix(3)
      .joined(separator: " ") ?? "unknown"
  }

  /// The model of the processor.
  static var processor: String {
    let lines = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8))?.split(separator: "\n") ?? []
    let model = lines.first { $0.hasPrefix("model name") || $0.hasPrefix("Model") }?.split(separator: ":").last
    return model.map { $0.trimmingCharacters(in: .whitespaces) } ?? "unknown"
  }
}
