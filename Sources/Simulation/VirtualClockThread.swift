import Ensemble
import MusicalTime
import PeerProtocol
import Playback
import RTPMIDI
import Rhythm
import Scores
import Sending

/// The clock thread of a virtual peer. It drives the shipped ``StreamSender``, gives its packets to the virtual network, and keeps
/// the steps until they are due. Sending takes no virtual time, so the thread is never late.
final class VirtualClockThread {
  private var sender: StreamSender
  private let wire: VirtualWire
  /// The address from which the packets are sent.
  private let source: SocketAddress
  private let pattern: Pattern
  /// The rhythms that the peer can play.
  var rhythms: Set<DocumentDigest?> = [nil]
  private var entry = RhythmEntry()
  /// The score with a digest, if the peer has it.
  private let score: (DocumentDigest) -> Score?
  private var scoreEntry = RhythmEntry()
  /// The plan of the last line.
  private var plan: ScorePlan?
  /// The steps that the sender has passed to the audio output and that are not yet due.
  private var waiting: [PlayedStep] = []

  /// Creates the clock thread of the peer at `host`.
  ///
  /// - Parameters:
  ///   - tickLead: how long before its due time a tick leaves for a time-stamp receiver.
  ///   - soundLead: how long before its due time a step is passed to the audio output.
  ///   - score: returns the score with a digest, if the peer has it.
  init(
    host: Int, wire: VirtualWire, pattern: Pattern, tickLead: Nanoseconds, soundLead: Nanoseconds,
    score: @escaping (DocumentDigest) -> Score?
  ) {
    (self.wire, self.pattern, self.score) = (wire, pattern, score)
    source = SocketAddress(host: host, .data)
    sender = StreamSender(
      capacity: 0, tickLead: tickLead, soundLead: soundLead, reportsTicks: false, quietTime: .zero)
  }

  /// The instant at which ``run(at:)`` and ``nextStep(at:)`` must be called next, in local time.
  var nextDeadline: Instant { min(sender.nextDeadline, waiting.first?.due ?? .distantFuture) }

  /// Executes a command and sends the packets that it causes.
  func execute(_ command: StreamCommand, at now: Instant) {
    if case .open(let stream, _, _, _, _, _, _) = command { sender.reserve(stream.slot + 1) }
    sender.execute(command)
    runExceptGuards(at: now)
  }

  /// Sends a part of a document.
  func send(_ part: DocumentTransmission, at now: Instant) {
    sender.send(part)
    runExceptGuards(at: now)
  }

  /// Plays by `schedule` from now on.
  func adopt(_ schedule: PlaybackSchedule, at now: Instant) {
    sender.adopt(schedule, at: now)
    run(at: now)
  }

  /// Stops the run on all streams.
  func stopStreams(at now: Instant) {
    sender.stopStreams(at: now)
    runExceptGuards(at: now)
  }

  /// Does everything that is due at `now`, in local time.
  func run(at now: Instant) {
    while let output = sender.poll(at: now) { perform(output, at: now) }
  }

  /// Does everything that is due at `now`, except sending guard packets. Guard packets are sent later, by ``run(at:)``.
  private func runExceptGuards(at now: Instant) {
    while let output = sender.pollExceptGuards(at: now) { perform(output, at: now) }
  }

  /// Performs one output of the sender: sends a packet, or adds or withdraws steps.
  private func perform(_ output: StreamSender.Output, at now: Instant) {
    switch output {
    case .packet(let transmission):
      sender.seal(transmission, sentAt: now)
      wire.send(sender.packet, from: source, to: transmission.address)
      sender.finish(transmission, isAccepted: true)
    case .step(let tick): keep(tick)
    case .recall(let instant): waiting.removeAll { $0.due >= instant }
    case .tick, .begin, .end, .idleTick, .shifted: break
    }
  }

  /// Removes and returns the next step that is due at `now`, in local time; nil if none is due.
  func nextStep(at now: Instant) -> PlayedStep? {
    guard let first = waiting.first, first.due <= now else { return nil }
    return waiting.removeFirst()
  }

  /// The place in the score at a tick.
  private func place(at tick: Tick) -> ScorePlace {
    let schedule = sender.schedule
    let line = schedule.score[tick]
    guard let digest = line.digest else { return ScorePlace(line: line) }
    if plan?.line != line { plan = score(digest).flatMap { try? ScorePlan(line, in: $0) } }
    let sounds = scoreEntry.sounds(at: tick, of: schedule, hasRhythm: plan != nil)
    guard sounds, let plan, let bar = plan.bar(at: tick) else { return ScorePlace(line: line, isSilent: !sounds) }
    return ScorePlace(line: line, bar: Int32(plan.written(bar)), offset: tick - bar.tick)
  }

  /// Keeps a step until it is due. Does nothing if the tick begins no step of the rhythm.
  private func keep(_ tick: Tick) {
    let schedule = sender.schedule
    guard tick >= schedule.start, let step = tick.beginsStep else { return }
    let mix = schedule.mix[tick]
    let level = schedule.total[tick]
    var (hits, loudness): (UInt8, UInt16) = (0, 0)
    let line = schedule.rhythm[tick]
    let sounds = entry.sounds(at: tick, of: schedule, hasRhythm: rhythms.contains(line.digest))
    var cursor = pattern.table.cursor(
      at: line.step(at: tick), activity: level, playsFill: schedule.wantsFill(at: tick))
    while sounds, let hit = pattern.table.next(&cursor) {
      let velocity = mix.velocity(hit.velocity, ofPart: hit.part.number)
      hits &+= velocity > 0 ? 1 : 0
      loudness &+= UInt16(velocity)
    }
    let tempo = schedule.tempo(at: tick)
    waiting.append(
      PlayedStep(
        step: step, due: schedule.deadline(tick), run: schedule.run, firstRun: schedule.firstRun,
        cutsShort: sender.cutsPreviousRunShort, level: level, hits: hits,
        loudness: loudness, rhythm: line, grid: schedule.grid[tick], isSilent: !sounds, place: place(at: tick),
        length: Nanoseconds(tempo.nanosecondsPerQuarter / Step.perQuarter)))
  }
}
