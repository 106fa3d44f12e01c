import MusicalTime

/// The first line of a trace: the peer and its system. In the file, the line begins with the version of the format, under
/// the key `tutti_trace`. ``TraceWriter`` adds this key, and ``Trace`` checks it; it is not part of this type.
///
/// Real-time: not safe.
public struct TraceHeader: Hashable, Sendable, Codable {
  /// The name of the peer.
  public var name: String
  /// The identity of the peer: 16 hexadecimal digits.
  public var identity: String
  /// The role at the start: "master" for a peer that was started with `--start`, otherwise "idle".
  public var role: String
  /// The version of the program.
  public var version: String
  /// The name and the version of the kernel.
  public var kernel: String
  /// The model of the processor.
  public var processor: String
  /// The scheduling policy of the clock thread, for example "SCHED_FIFO 70".
  public var scheduler: String
  /// Whether the memory of the process was locked.
  public var memoryLocked: Bool
  /// The clock of all instants in this trace.
  public var clock = "CLOCK_MONOTONIC"
  /// The command line.
  public var command: String
  /// The name of the patch at the start; nil if there was none.
  public var patch: String?
  /// The activity of the peer at the start, 0...127.
  public var activity: Int
  /// The WAV file that the peer recorded during this trace, or nil if there is none.
  public var audio: Audio?
  /// Whether the peer has an ALSA clock port; nil in the traces of earlier versions.
  public var hasClockPort: Bool?
  /// The state of NTP at the start; nil in the traces of earlier versions.
  public var ntp: NTPState?

  /// A WAV file and the instant of its first frame.
  ///
  /// Real-time: not safe.
  public struct Audio: Hashable, Sendable, Codable {
    /// The path of the file.
    public var file: String
    /// The sample rate in frames per second.
    public var rate: Int
    /// The number of the first frame, if frames are counted from the origin of the clock. It is the time reference in the
    /// `bext` chunk of the WAV file (EBU Tech 3285).
    public var firstFrame: Int64
    /// The instant at which the first frame sounded, by the clock of the trace.
    public var firstInstant: Instant { Instant(nanoseconds: firstInstantNanoseconds) }
    private var firstInstantNanoseconds: Int64

    /// Creates the description of the recording in `file`. Its first frame has the number `firstFrame` and sounded at
    /// `firstInstant`.
    ///
    /// Real-time: not safe.
    public init(file: String, rate: Int, firstFrame: Int64, firstInstant: Instant) {
      (self.file, self.rate, self.firstFrame) = (file, rate, firstFrame)
      firstInstantNanoseconds = firstInstant.nanoseconds
    }

    private enum CodingKeys: String, CodingKey {
      case file, rate
      case firstFrame = "first_frame"
      case firstInstantNanoseconds = "first_instant_ns"
    }
  }

  /// Creates a header for instants of CLOCK_MONOTONIC.
  ///
  /// Real-time: not safe.
  public init(
    name: String, identity: String, role: String, version: String, kernel: String, processor: String,
    scheduler: String, memoryLocked: Bool, command: String, patch: String?, activity: Int, audio: Audio?,
    hasClockPort: Bool? = nil, ntp: NTPState? = nil
  ) {
    (self.name, self.identity, self.role, self.version) = (name, identity, role, version)
    (self.kernel, self.processor, self.scheduler) = (kernel, processor, scheduler)
    (self.memoryLocked, self.command, self.patch) = (memoryLocked, command, patch)
    (self.activity, self.audio, self.hasClockPort, self.ntp) = (activity, audio, hasClockPort, ntp)
  }

  private enum CodingKeys: String, CodingKey {
    case name, identity, role, version, kernel, processor, scheduler
    case memoryLocked = "memory_locked"
    case clock, command, patch, activity, audio, ntp
    case hasClockPort = "alsa_clock_port"
  }
}
