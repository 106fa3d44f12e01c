import Foundation

/// The clock that `tutti measure follower` sends to a device in order to measure its response. The same values always give the same
/// clock.
///
/// The clock consists of parts. In this table, the unit of length is ``seconds``. Each length is rounded to whole quarter notes.
///
/// | part | length | clock |
/// |---|---|---|
/// | steady | 1 | exact |
/// | faster | 1 | exact, ``step`` percent faster; left out if ``step`` is 0 |
/// | back | 1 | exact, at the first tempo again; left out if ``step`` is 0 |
/// | jitter | 2 | each tick is moved by a random time; left out if ``jitter`` is 0 |
/// | losses | (``losses`` + 1) / 2 | exact, but some ticks are lost, which means not sent; left out if ``losses`` is 0 |
///
/// The random time of the jitter is normally distributed with the standard deviation ``jitter``, and limited to three standard
/// deviations.
///
/// The part with losses consists of windows of length 1/2. In each window except the first, one tick of the first quarter note is lost.
/// The number of the lost tick in the quarter note (0...23) has no common divisor with 24 except 1. In a pattern of up to 12 equally
/// spaced sounds per quarter note, no sound is therefore on a lost tick.
///
/// Real-time: not safe.
public struct FollowerStimulus: Hashable, Sendable, Codable {
  /// The tempo in beats per minute.
  public var tempo: Double
  /// The standard deviation of the jitter in milliseconds.
  public var jitter: Double
  /// The change of the tempo in the part `faster`, in percent. A negative value makes this part slower.
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

  /// Checks the range of each value.
  ///
  /// - Throws: ``ReportError`` for the first value out of range.
  func check() throws(ReportError) {
    func require(_ condition: Bool, _ option: String, _ value: String, _ range: String) throws(ReportError) {
      guard !condition else { return }
      throw ReportError(subject: "\(option) \(value)", reason: "out of range", remedy: "give \(range)")
    }
    try require((20...300).contains(tempo), "--bpm", "\(tempo)", "20 to 300")
    // A tick is 2500 / tempo milliseconds long. With a standard deviation of an eighth of a tick, limited to three standard deviations,
    // the ticks stay in order. The limit is rounded down to 0.1 ms.
    let limit = (2_500 / tempo / 8 * 10).rounded(.down) / 10
    try require(
      (0...limit).contains(jitter), "--jitter", "\(jitter)",
      "0 to \(limit) ms, an eighth of a tick at \(tempo) BPM")
    try require((-20...20).contains(step), "--step", "\(step)", "-20 to 20")
    try require((0...100).contains(losses), "--losses", "\(losses)", "0 to 100")
    try require((4...600).contains(seconds), "--seconds", "\(seconds)", "4 to 600")
    // A recording of more than two hours cannot be measured. `parts` is the length of the stimulus in units of `seconds`.
    let parts = 1 + (step == 0 ? 0 : 2) + (jitter == 0 ? 0 : 2) + (losses == 0 ? 0 : Double(losses + 1) / 2)
    let longest = (7_000 / parts).rounded(.down)
    guard seconds <= longest else {
      throw ReportError(
        subject: "--seconds \(seconds)", reason: "the clock would last longer than 7000 s",
        remedy: "give at most \(Int(longest)), or fewer --losses")
    }
  }

  /// A part of the stimulus.
  public enum Part: String, Hashable, Sendable, Codable {
    case steady, faster, back, jitter, losses
  }

  /// A part with its ticks and its tempo.
  public struct Section: Hashable, Sendable {
    /// The part.
    public let part: Part
    /// The numbers of the ticks.
    public let ticks: Range<Int>
    /// The ideal instant of the first tick of the section, in nanoseconds after tick 0 of the stimulus.
    let start: Double
    /// The length of a tick in nanoseconds.
    let period: Double
  }

  /// The length of a tick at the first tempo in nanoseconds.
  var period: Double { 60e9 / tempo / 24 }
  /// The number of quarter notes in a part of length 1, at least 8.
  private var quarters: Int { max(Int((seconds * tempo / 60).rounded()), 8) }
  /// The number of quarter notes in a window of the part with losses.
  private var lossQuarters: Int { (quarters + 1) / 2 }

  /// The parts in the order in which they are sent.
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
    // The seed differs from that of the jitter, so that the choice of the lost ticks is independent of the jitter.
    var random = StimulusRandom(seed: seed ^ 0x10_57)
    return (1...losses).map { window in
      first + window * 24 * lossQuarters + [1, 5, 7, 11, 13, 17, 19, 23].randomElement(using: &random)!
    }
  }

  /// Returns the ticks of a window of the part with losses.
  ///
  /// - Parameters:
  ///   - loss: the number of the window. Window 0 has no lost tick. Each later window contains the lost tick of the same number, counted
  ///     from 1.
  ///   - section: the section of the part with losses.
  func lossWindow(_ loss: Int, in section: Section) -> Range<Int> {
    let first = section.ticks.lowerBound + loss * 24 * lossQuarters
    return first..<first + 24 * lossQuarters
  }

  /// All ticks with their ideal and planned instants, in order. The index is the number of the tick.
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
    /// The instant at which the tick would be due without jitter.
    public let ideal: Int64
    /// The instant at which the tick should be sent: the ideal instant plus the jitter.
    public let planned: Int64
    /// Whether the tick is lost: it is not sent.
    public let isLost: Bool
  }
}

/// The random number generator for the jitter and the lost ticks of a ``FollowerStimulus``: SplitMix64 (G. Steele, D. Lea and C. Flood,
/// "Fast splittable pseudorandom number generators", OOPSLA 2014).
///
/// The same seed always gives the same numbers.
struct StimulusRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var value = state
    value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
    value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
    return value ^ (value >> 31)
  }

  /// Returns a normally distributed number with mean 0 and standard deviation 1 (G. Box and M. Muller, "A note on the generation of random
  /// normal deviates", 1958). A number whose magnitude exceeds `limit` is drawn again.
  mutating func normal(limit: Double) -> Double {
    while true {
      let radius = (-2 * log(Double.random(in: Double.ulpOfOne..<1, using: &self))).squareRoot()
      let value = radius * cos(2 * .pi * Double.random(in: 0..<1, using: &self))
      if abs(value) <= limit { return value }
    }
  }
}
