import Audio
import BuildVersion
import Engine
import Foundation
import Measurement
import MusicalTime
import Realtime
import Transports

/// Sends a stimulus to the ALSA sequencer port of a device, and records the sound of the device.
struct FollowerRun {
  /// The ticks of the stimulus, with the instants at which they were sent.
  private(set) var record: StimulusRecord
  /// The recording of the device and its sample rate in frames per second; nil if nothing was recorded.
  private(set) var capture: (recording: PCMCapture.Result, rate: Int)?
  /// The state of NTP and the rate of CLOCK_MONOTONIC during the run; nil if the kernel does not report the state of NTP.
  private(set) var systemClock: SystemClock?
  /// Warnings for the user, each in one line.
  private(set) var warnings: [String] = []

  /// The minimum time from the start of the recording to tick 0, and from Stop to the end of the recording. After Ctrl-C, the
  /// recording ends without this time.
  private static let margin = Nanoseconds.seconds(1)

  /// Sends the stimulus, until its end or Ctrl-C.
  ///
  /// - Parameters:
  ///   - stimulus: the stimulus.
  ///   - name: the name or the address of the port.
  ///   - input: the audio input that hears the device; nil if nothing is recorded.
  ///   - path: the file to which the sent ticks are written, line by line; nil for no file.
  /// - Throws: `TransportError`, `PCMError` or `TraceError` if the port, the input or the file cannot be used.
  init(_ stimulus: FollowerStimulus, to name: String, input: String?, saving path: String?) throws {
    let sequencer = try Sequencer(name: "tutti measure", takingClock: false)
    defer { sequencer.close() }
    // `sending: false`: the port must receive MIDI.
    let port = try sequencer.ports().find(name, sending: false)
    try sequencer.subscribe(SequencerLink(.clock, port.address))
    let capture = try input.map { device throws(PCMError) in try PCMCapture(device) }
    let file = try path.map { try FileHandle(creating: $0, remedy: "give --save a file in a writable folder") }
    // Page faults would delay ticks.
    if let advice = MemoryLock.lockAll() { warnings.append(advice) }
    let (interruption, terminal) = (Interruption(), Terminal())
    let signals = TerminationSignals { interruption.raise() }
    defer { signals.cancel() }

    let clocks = SystemClockObserver()
    let origin = MonotonicClock.now + Self.margin
    record = StimulusRecord(
      StimulusRecord.Header(
        stimulus: stimulus, output: "\(port)", origin: origin, version: Version.current,
        command: CommandLine.arguments.joined(separator: " ")))
    let sender = ClockSender(record.ticks, origin: origin, to: sequencer, interruption: interruption)
    if let advice = sender.schedulingPolicy.advice { warnings.append(advice) }
    var (refused, failure): (Int, (any Error)?) = (0, nil)
    func write(_ text: String) {
      do { if failure == nil { try file?.write(contentsOf: Data(text.utf8)) } } catch { failure = error }
    }
    // Moves the ticks that were sent from the ring of the sender to the record and to the file.
    func collect() {
      var text = ""
      while let sent = sender.sent.pop() {
        text += record.add(sent.tick, sent: sent.instant)
        if !sent.isAccepted { refused += 1 }
      }
      if !text.isEmpty { write(text) }
    }
    write(record.header.line)
    while !sender.join(within: .milliseconds(100)) {
      collect()
      clocks.sampleIfDue(at: MonotonicClock.now)
      terminal.showStatus(Self.status(record, at: MonotonicClock.now - origin))
    }
    collect()
    try? file?.close()
    if let capture {
      // The device may still sound after the clock has ended.
      if !interruption.isRaised { MonotonicClock.sleep(until: MonotonicClock.now + Self.margin) }
      self.capture = (capture.finish(), capture.rate)
      if let error = self.capture?.recording.failure { warnings.append("\(error)") }
    }
    systemClock = clocks.finish()
    terminal.end()
    if refused > 0 {
      warnings.append("\(port): did not accept \(refused) ticks; they count as sent; check that the device runs")
    }
    if let failure, let path {
      warnings.append(
        "\(path): cannot be written (\(failure.reason)), so it is not complete; give --save a file on another disk, "
          + "and measure again"
      )
    }
  }

  /// The progress in one line.
  private static func status(_ record: StimulusRecord, at time: Nanoseconds) -> String {
    let seconds = Double(record.ticks.last?.ideal ?? 0) / 1e9
    let part = record.header.stimulus.sections.first { $0.ticks.contains(record.count) }?.part.rawValue ?? "end"
    return "\(record.header.output): part \(part), second \(Int(max(time.seconds, 0))) of \(Int(seconds.rounded(.up)))"
  }
}
