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
    let (clockCounters, networkCounters) = (clock.counters, network.counters)
    var summary = TraceSummary(role: records.trace.role.description)
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
      Int64(network.rings.events.dropped + network.rings.datagrams.dropped) + networkCounters.limited
      + networkCounters.notAuthentic
    summary.others = [
      "late_hit_max_ns": sound.maximumLateness.count,
      "silent_frames": sound.silentFrames,
      "lost_frames": sound.lostFrames,
      "clipped_samples": sound.clippedSamples,
      "ticks_skipped": clockCounters.skipped,
      "ticks_unrecorded": Int64(clock.rings.ticks.dropped),
      "commands_dropped": Int64(clock.rings.commands.dropped + network.rings.commands.dropped),
      "datagrams_sent": clockCounters.sent,
      "datagrams_unsent": clockCounters.unsent,
      "packets_withheld": clockCounters.withheld,
      "journals_withheld": clockCounters.withheldJournals,
      "datagrams_discarded": network.discarded,
      "datagrams_received": Int64(clamping: core.endpoint.counters.received) + unseen,
      "datagrams_dropped": Int64(clamping: core.endpoint.counters.dropped) + unseen,
      "exclusives_dropped": Int64(network.rings.exclusives.dropped),
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
    if let clock = (core.clocks.leader(of: ensemble) ?? core.clocks.inputs.first)?.clock {
      summary.others["clock_ticks_lost"] = clock.lost
      summary.others["clock_ticks_doubled"] = clock.duplicates
    }
    if let recording = records.recording { summary.others["midi_recording_lost"] = recording.lost }
    // The messages of peers and of local programs that were dropped, because there were too many.
    summary.others["midi_dropped"] = networkCounters.refused
    if let midi {
      let lost = Int64(
        network.rings.arrivals.dropped + clock.rings.messages.dropped + clock.rings.exclusives.dropped
          + clock.rings.playerMessages.dropped
          + clock.rings.sound.first.messages.dropped)
      summary.others["midi_dropped"]! += lost
      summary.others["midi_overflows"] = midi.overflows
      summary.others["midi_ignored"] = midi.ignored
      summary.others["midi_unsent"] = clockCounters.unsentToPort
    }
    return summary
  }
}

extension TraceHeader {
  /// Creates the header of the trace of a peer.
  init(
    _ configuration: PeerConfiguration, identity: Identity, schedulingPolicy: SchedulingPolicy, memoryLocked: Bool,
    sound: SoundOutputs, hasClockPort: Bool
  ) {
    let recording = configuration.recording.map { path in
      Audio(
        file: path, rate: Int(FrameGrid.standard.rate), firstFrame: sound.firstFrame, firstInstant: sound.firstInstant)
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
