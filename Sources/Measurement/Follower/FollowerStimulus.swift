/// The clock that `tutti measure follower` sends to a device: the tempo, its parts, the jitter and the lost ticks of each
/// part. The same values always give the same clock.
///
/// Each part is a number of quarter notes, about ``seconds`` long. A part whose value is 0 is left out.
///
/// | part | length | clock |
/// |---|---|---|
/// | steady | 1 | exact |
/// | faster | 1 | exact, ``step`` percent faster |
/// | back | 1 | exact, at the first tempo again |
/// | jitter | 2 | each tick is moved by a normal random number with the standard deviation ``jitter``, at most three times as far |
/// | losses | (``losses`` + 1) / 2 | in each half part except the first, one tick is lost |
///
/// A lost tick is one of the first quarter note of its half part, and never a tick on which a pattern of up to 12 sounds per
/// quarter note has a sound: its number in the quarter note has no divisor in common with 24.
public struct FollowerStimulus: Hashable, Sendable, Codable {
  /// The tempo in beats per minute.
  public var tempo: Double
  /// The standard deviation of the jitter in milliseconds.
  public var jitter: Double
  /// The tempo step in percent.
  public var step: Double
  /// The number of lost ticks.
  public var losses: Int
  /// The approximate length of a part in seconds.
  public var seconds: Double
  /// The seed of the jitter and of the lost ticks.
  public var seed: UInt64

  /// Creates a stimulus.
  ///
  /// - Throws: ``ReportError`` for a value out of range, with the option of the command that sets it.
  ///
  /// Real-time: not safe.
  public init(
    tempo: Double, jitter: Double, step: Double, losses: Int, seconds: Double, seed: UInt64
  ) throws(ReportError) {
    (self.tempo, self.jitter, self.step) = (tempo, jitter, step)
    (self.losses, self.seconds, self.seed) = (losses, seconds, seed)
    try check()
  }

  /// Throws an error for a value out of range.
  func check() throws(ReportError) {
    func require(_ condition: Bool, _ option: String, _ value: String, _ range: String) throws(ReportError) {
      guard !condition else { return }
      throw ReportError(subject: "\(option) \(value)", reason: "out of range", remedy: "give \(range)")
    }
    try require((20...300).contains(tempo), "--bpm", "\(tempo)", "20 to 300")
    // Three standard deviations to each side leave the ticks in order.
    let limit = (2_500 / tempo / 8 * 10).rounded(.down) / 10
    try require((0...limit).contains(jitter), "--jitter", "\(jitter)", "0 to \(limit), an eighth of a tick")
    try require((-20...20).contains(step), "--step", "\(step)", "-20 to 20")
    try require((0...100).contains(losses), "--losses", "\(losses)", "0 to 100")
    try require((4...600).contains(seconds), "--seconds", "\(seconds)", "4 to 600")
    // A recording of more than two hours cannot be measured.
    let parts = 1 + (step == 0 ? 0 : 2) + (jitter == 0 ? 0 : 2) + (losses == 0 ? 0 : Double(losses + 1) / 2)
    let longest = (7_000 / parts).rounded(.down)
    try require(
      seconds <= longest, "--seconds", "\(seconds)", "at most \(Int(longest)) with these parts, two hours in all")
  }

  /// A part of the stimulus.
  public enum Part: String, Hashable, Sendable, Codable {
    case steady, faster, back, jitter, losses
  }

  /// A part and its ticks.
  public struct Section: Hashable, Sendable {
    /// The part.
    public let part: Part
    /// The numbers of the ticks.
    public let ticks: Range<Int>
    /// The instant of the first tick in nanoseconds after tick 0.
    let start: Double
    /// The length of a tick in nanoseconds.
    let period: Double
  }

  /// The length of a tick at the first tempo in nanoseconds.
  var period: Double { 60e9 / tempo / 24 }
  /// The quarter notes of a part.
  private var quarters: Int { max(Int((seconds * tempo / 60).rounded()), 8) }
  /// The quarter notes between two lost ticks.
  private var lossQuarters: Int { (quarters + 1) / 2 }

  /// The parts in their order.
  public var sections: [Section] {
    var (sections, tick, start): ([Section], Int, Double) = ([], 0, 0)
    func add(_ part: Part, quarters: Int, ratio: Double = 1) {
      let period = period / ratio
      sections.append(Section(part: part, ticks: tick..<tick + 24 * quarters, start: start, period: period))
      tick += 24 * quarters
      start += Double(24 * quarters) * period
    }
    add(.steady, quarters: quarters)
    if step != 0 {
      let ratio = 1 + step / 100
      add(.faster, quarters: Int((Double(quarters) * ratio).rounded()), ratio: ratio)
      add(.back, quarters: quarters)
    }
    if jitter > 0 { add(.jitter, quarters: 2 * quarters) }
    if losses > 0 { add(.losses, quarters: (losses + 1) * lossQuarters) }
    return sections
  }

  /// The numbers of the lost ticks, ascending.
  public var lostTicks: [Int] {
    guard losses > 0, let first = sections.last?.ticks.lowerBound else { return [] }
    var random = StimulusRandom(seed: seed ^ 0x10_57)
    return (1...losses).map { window in
      first + window * 24 * lossQuarters + [1, 5, 7, 11, 13, 17, 19, 23].randomElement(using: &random)!
    }
  }

  /// The ticks of the half part that begins with the given loss, counted from 1; 0 for the one without a loss.
  func lossWindow(_ loss: Int, in section: Section) -> Range<Int> {
    let first = section.ticks.lowerBound + loss * 24 * lossQuarters
    return first..<first + 24 * lossQuarters
  }

  /// The ticks, without the instants at which they were sent.
  public var ticks: [Tick] {
    var random = StimulusRandom(seed: seed)
    let lost = Set(lostTicks)
    var ticks: [Tick] = []
    for section in sections {
      for number in section.ticks {
        let ideal = section.start + Double(number - section.ticks.lowerBound) * section.period
        let shift = section.part == .jitter ? random.normal(limit: 3) * jitter * 1e6 : 0
        ticks.append(
          Tick(ideal: Int64(ideal.rounded()), planned: Int64((ideal + shift).rounded()), isLost: lost.contains(number)))
      }
    }
    return ticks
  }

  /// A tick of the stimulus. Instants are nanoseconds after tick 0.
  public struct Tick: Hashable, Sendable {
    /// The instant on the timeline without jitter.
    public let ideal: Int64
    /// The instant at which the tick should be sent.
    public let planned: Int64
    /// Whether the tick is not sent.
    public let isLost: Bool
  }
}
