import MIDI
import MusicalTime

/// The stamps of the ticks of one clock: the input of ``ClockAnalysis``. A stamp is the instant of a tick in a trace or in another file.
///
/// A stamp takes 8 octets. A stamp of a trace takes 4 more, for its ``advances``. The stamps of millions of ticks therefore fit into
/// memory.
public struct ClockStamps: Sendable {
  /// The instant of a tick that is used as its stamp. A trace contains both instants.
  public enum Source: String, Sendable, CaseIterable, Codable {
    /// When the tick was due. This instant contains the errors of the timeline of the peer, but not those of its threads.
    case due
    /// When the clock thread of the peer processed the tick. This instant contains the errors of the timeline and of the threads.
    case acted
  }

  /// The name of the file, for messages.
  public let name: String
  /// The header of the trace; nil for an input that is not a trace.
  public internal(set) var header: TraceHeader?
  /// Whether the stamps are the due or the acted instants of a trace; nil for an input that is not a trace.
  public internal(set) var source: Source?
  /// The stamps in nanoseconds, in the order of the file.
  public internal(set) var stamps: [Int64] = []
  /// For each stamp, the number of ticks since the previous stamp: 0 if the same tick is repeated, ``restart`` for the first stamp of a
  /// run, which is a sequence of ticks without a stop of the clock. A trace contains the numbers of its ticks. For another input, such
  /// as a file of stamps, the array is empty until ``number(nominalPeriod:)``.
  var advances: [Int32] = []
  /// Whether the input contains no tick numbers, so that ``TickNumbering`` has determined them.
  private(set) var areNumbersEstimated = false
  /// The number of stamps whose tick number is uncertain (``TickNumbering/uncertain``).
  private(set) var uncertainNumbers = 0
  /// The mean length of a tick by the due instants of the trace, in nanoseconds; nil for an input that is not a trace.
  public internal(set) var duePeriod: Double?
  /// The resolution of the stamps in nanoseconds, if the input states it, as a MIDI file does; nil: unknown. ``coarseResolution`` then
  /// detects a coarse resolution.
  public var resolution: Double?
  /// Warnings for the user, for example about a line that was ignored.
  public internal(set) var warnings: [String] = []

  /// The value in ``advances`` for the first stamp of a run.
  static let restart = Int32.min

  /// Creates stamps of ticks whose numbers are unknown.
  ///
  /// - Parameters:
  ///   - name: the name of the input, for messages.
  ///   - stamps: the stamps in nanoseconds, in ascending order.
  ///
  /// Real-time: not safe.
  public init(name: String, stamps: [Int64] = []) { (self.name, self.stamps) = (name, stamps) }

  /// Adds a message for the user.
  ///
  /// Real-time: not safe.
  public mutating func warn(_ message: String) { warnings.append(message) }

  /// Determines the tick numbers from the stamps (``TickNumbering``).
  ///
  /// - Parameter nominalPeriod: the length of a tick at the nominal tempo in nanoseconds; nil if unknown.
  /// - Throws: ``ReportError`` if most stamps are equal and `nominalPeriod` is nil.
  mutating func number(nominalPeriod: Double?) throws(ReportError) {
    let equal = stamps.indices.dropFirst().count { stamps[$0] == stamps[$0 - 1] }
    guard nominalPeriod != nil || equal * 2 < stamps.count else {
      throw ReportError(
        subject: name, reason: "most stamps do not differ from the stamp before",
        remedy: "record the stamps with a finer clock, or give the tempo with --nominal")
    }
    let numbering = TickNumbering(stamps, nominalPeriod: nominalPeriod)
    (advances, uncertainNumbers, areNumbersEstimated) = (numbering.advances, numbering.uncertain, true)
  }

  /// The resolution of the stamps in nanoseconds: ``resolution``, or the ``step`` of the intervals. It is nil if the intervals are equal, apart
  /// from missing ticks: each of them is then a multiple of the length of a tick, which need not be the resolution.
  var coarseResolution: Double? { resolution ?? step.flatMap { $0.isVariable ? $0.nanoseconds : nil } }

  /// The step of the stamps, if it can be coarser than a third of a tick, so that the estimated tick numbers are ambiguous; nil otherwise.
  ///
  /// Stamps with a step of nearly a tick look like an exact clock with the length of the step that loses ticks. The step is therefore suspicious
  /// even if all intervals are multiples of it, unless no tick is missing or repeated.
  ///
  /// - Parameter period: the length of a tick in nanoseconds.
  func ambiguousStep(period: Double) -> Double? {
    guard areNumbersEstimated, let step, step.nanoseconds * 3 > period else { return nil }
    let hasEvents = advances.contains { $0 != 1 && $0 != Self.restart }
    return step.isVariable || hasEvents ? step.nanoseconds : nil
  }

  /// The greatest common divisor of the intervals in nanoseconds, and whether the intervals of a tick differ; nil if the divisor is below 10 us.
  /// The tick numbers must be known (``advances``).
  private var step: (nanoseconds: Double, isVariable: Bool)? {
    var (divisor, tick, isVariable): (Int64, Int64?, Bool) = (0, nil, false)
    for index in stamps.indices.dropFirst() where advances[index] != Self.restart && advances[index] > 0 {
      var (interval, rest) = (stamps[index] - stamps[index - 1], divisor)
      let length = interval / Int64(advances[index])
      isVariable = isVariable || length != tick ?? length
      tick = tick ?? length
      while rest != 0 { (interval, rest) = (rest, interval % rest) }
      divisor = interval
      if divisor > 0, divisor < 10_000 { return nil }
    }
    return divisor > 0 ? (Double(divisor), isVariable) : nil
  }

  /// The mean length of a tick within the runs in nanoseconds, by the ``advances``; 0 without two ticks in a run.
  var meanPeriod: Double {
    var (ticks, nanoseconds): (Int64, Int128) = (0, 0)
    for index in stamps.indices.dropFirst() where advances[index] != Self.restart {
      ticks += Int64(advances[index])
      nanoseconds += Int128(stamps[index]) - Int128(stamps[index - 1])
    }
    return ticks > 0 ? Double(nanoseconds) / Double(ticks) : 0
  }

  /// Appends the stamp of a line of the file.
  ///
  /// - Parameters:
  ///   - stamp: the stamp in nanoseconds.
  ///   - line: the number of the line, for errors.
  ///   - isRestart: whether the stamp is the first one of a run. It may then be earlier than the previous stamp.
  /// - Throws: ``TraceError`` if the stamp is more than 73 years from the origin of the clock, or earlier than the previous stamp of the
  ///   same run.
  mutating func append(_ stamp: Int64, line: Int, isRestart: Bool = false) throws(TraceError) {
    guard (-TraceTick.limit...TraceTick.limit).contains(stamp) else {
      throw TraceError(
        file: name, line: line, reason: "\(stamp) ns is more than 73 years from the origin of the clock",
        remedy: "give the instants relative to a nearer origin")
    }
    if let last = stamps.last, stamp < last, !isRestart {
      let remedy =
        switch source {
        case .due: "measure with --instant acted, or record the trace again"
        case .acted: "record the trace again"
        case nil: "sort the stamps; if the clock was set back, remove the lines before line \(line)"
        }
      throw TraceError(
        file: name, line: line, reason: "the instant is \(last - stamp) ns earlier than the previous instant",
        remedy: remedy)
    }
    stamps.append(stamp)
  }

  /// Creates the stamps of the pulses or clicks of a clock in a recording, in nanoseconds since the first frame. ``PulseDetector`` finds
  /// them.
  ///
  /// - Throws: ``ReportError`` if the recording is silent, or contains fewer than three pulses.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording) throws(ReportError) {
    self.init(name: recording.name)
    let pulses = PulseDetector(rate: recording.rate).pulses(in: recording.samples)
    guard pulses.positions.count >= 3 else {
      throw ReportError(
        subject: recording.name, reason: recording.isSilent ? "silent" : "fewer than 3 pulses",
        remedy: "record the clock output, or a short click on each tick, at a level near full scale")
    }
    stamps = pulses.positions.map { Int64(($0 / Double(recording.rate) * 1e9).rounded()) }
    // The position of a pulse comes from the correlation or, if the correlation fails, from the threshold. The two methods differ by part
    // of a frame, so the positions are not always in order.
    stamps.sort()
    if pulses.correlated * 10 < pulses.positions.count * 9 {
      warnings.append(
        "\(recording.name): \(pulses.positions.count - pulses.correlated) of \(pulses.positions.count) pulses have "
          + "another shape than the first, so their stamps are inexact by about a frame")
    }
  }

  /// Creates the stamps of the Timing Clock messages, or of the notes, of a Standard MIDI File.
  ///
  /// A Standard MIDI File contains Timing Clock messages only if a program has recorded them (as F7 events). A stamp is the time of the
  /// event by the tempo map of the file. The ``resolution`` of the stamps is the length of a tick of the file.
  ///
  /// - Parameters:
  ///   - name: the name of the file, for messages.
  ///   - bytes: the file.
  ///   - usesNotes: whether the beginnings of the notes are the stamps, for example in a recorded click track. Notes that begin at the
  ///     same tick of the file are one stamp.
  /// - Throws: ``ReportError`` for bytes that are not a Standard MIDI File, and for a file that contains no such message or note, has
  ///   independent tracks (format 2), or more than ``MIDI/StandardMIDIFile/maximumEvents`` tempo events.
  ///
  /// Real-time: not safe.
  public init(name: String, midiFile bytes: [UInt8], usesNotes: Bool) throws(ReportError) {
    self.init(name: name)
    var ticks: [Int64] = []
    var tempos: [TempoMap.Tempo] = []
    let (format, division): (StandardMIDIFile.Format, StandardMIDIFile.Division)
    do throws(StandardMIDIFile.ReadError) {
      (format, division) = try StandardMIDIFile.forEachEvent(in: bytes) { event in
        switch event.content {
        case .message(.clock) where !usesNotes: ticks.append(event.tick)
        case .message(.noteOn(_, _, let velocity)) where usesNotes && velocity.value > 0: ticks.append(event.tick)
        case .meta(let meta):
          // A hostile file may consist of tempo events only. At most one event more than the limit is stored. The check of the limit
          // below then refuses the file.
          guard let quarter = meta.microsecondsPerQuarter, tempos.count <= StandardMIDIFile.maximumEvents else {
            return
          }
          tempos.append((event.tick, quarter))
        default: break
        }
      }
    } catch {
      throw ReportError(
        subject: name, reason: "\(error)", remedy: "give a complete Standard MIDI File of at most 32 MiB")
    }
    guard tempos.count <= StandardMIDIFile.maximumEvents else {
      throw ReportError(
        subject: name, reason: "more than \(StandardMIDIFile.maximumEvents) tempo events", remedy: "give a shorter file"
      )
    }
    guard format != .independentTracks else {
      throw ReportError(
        subject: name, reason: "contains independent tracks (format 2)", remedy: "give a file of format 0 or 1")
    }
    guard !ticks.isEmpty else {
      throw ReportError(
        subject: name,
        reason: usesNotes
          ? "contains no notes" : "contains no MIDI clock bytes (F8)",
        remedy: usesNotes
          ? "give a file with a click track"
          : "if it contains a click track, add --notes; otherwise record the clock as a text file of stamps")
    }
    let map = TempoMap(division, tempos)
    ticks.sort()
    var previous: Int64?
    stamps.reserveCapacity(ticks.count)
    for tick in ticks where !usesNotes || tick != previous {
      previous = tick
      stamps.append(map.nanoseconds(at: tick))
    }
    resolution = map.longestTick
  }
}
