import CALSA
public import MusicalTime

/// A sound card, or a sound server's stand-in for one, open for playback.
///
/// Opened by whoever makes it, so that what is wrong is thrown there; then it belongs to the audio thread it is given
/// to, which alone uses, closes and reopens it. See ``AudioSink/card(_:latency:)``.
public final class PCMDevice: @unchecked Sendable {
  /// ALSA's name for it.
  public let name: String
  /// Its frames at the nominal rate: what ``DrumLanes`` must be loaded for. When the device returns at another rate, it
  /// stays silent.
  public let grid: FrameGrid
  /// How it is to be told of at the start, for people.
  public let summary: String

  /// How far ahead of its instant a hit must be handed over to sound in time, as far as that is known before the device
  /// plays: what is kept in it and two periods. A sound server adds what it tells only while it plays, see
  /// ``CardState/lead``.
  public let lead: Nanoseconds
  /// Whether a sound server stands between this program and the card.
  public let isServed: Bool

  // Invariant: touched by the maker until an audio thread is started with this device, then by that thread, and when it
  // has ended by the maker again.
  private(set) var stream: PCMStream?

  /// Opens the device `name` for playback, 48 000 frames a second if it can, else the nearest it can from 8000 to 96000.
  ///
  /// - Throws: ``PCMError``: not there, busy, not allowed, or nothing that can be agreed upon.
  ///
  /// Real-time: not safe.
  public init(_ name: String) throws(PCMError) {
    let stream = try Self.open(name, rate: nil)
    guard let grid = FrameGrid(rate: stream.rate) else { fatalError("negotiated outside 8000...96000 Hz") }
    (self.name, self.grid, self.stream) = (name, grid, stream)
    summary = Self.summary(name, stream)
    let kept = CardLoop.firstLevel(of: stream) + 2 * NominalDevice.period
    lead = grid.instant(of: kept) - grid.instant(of: 0)
    isServed = !stream.isHardware
  }

  deinit { close() }

  /// Gives the device back. To be called when no audio thread has it; closing twice does nothing.
  ///
  /// Real-time: not safe.
  public func close() {
    if let stream { snd_pcm_close(stream.pcm) }
    stream = nil
  }

  /// Opens it again after ``close()``, at the same rate.
  ///
  /// Real-time: not safe.
  func reopen() throws(PCMError) {
    close()
    stream = try Self.open(name, rate: grid.rate)
  }

  private static func summary(_ name: String, _ stream: PCMStream) -> String {
    let full = CardLoop.firstLevel(of: stream)
    let milliseconds = (Double(full) * 10_000 / Double(stream.rate)).rounded() / 10
    let periods = (full + stream.period - 1) / stream.period
    let known =
      stream.isHardware
      ? "output delay \(milliseconds) ms, known from the device; what comes after it is not (--latency)"
      : "output delay \(milliseconds) ms and what the sound server adds, as PulseAudio/PipeWire tells it; "
        + "what comes after it is not known (--latency)"
    return "\(name): \(stream.rate) Hz, \(periods) periods of \(stream.period) frames; \(known)"
  }
}
