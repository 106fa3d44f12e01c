import MusicalTime
import Realtime

/// The facts about this machine that decide how well a peer plays. ``checks`` judges them; `init(port:soundFont:)` reads them.
struct Machine {
  /// The user who runs the program.
  struct User: Equatable {
    var name: String
    var isRoot: Bool
    /// The groups of this login.
    var loginGroups: Set<String>
    /// The groups of the user by /etc/group, and those of this login. A new group takes effect at the next login.
    var listedGroups: Set<String>

    /// Returns `command` as this user must type it.
    func asRoot(_ command: String) -> String { isRoot ? command : "sudo " + command }
  }

  /// What happened when the default sound card was opened.
  enum DefaultCard: Equatable {
    case opened
    /// The device was refused. The texts are those of a peer.
    case failed(reason: String, remedy: String)
    /// The device did not open within the time limit.
    case silent
  }

  /// What discovery found.
  enum Surroundings: Equatable {
    /// The number of announced sessions: Tutti peers and RTP-MIDI devices.
    case sessions(Int)
    /// Discovery is unavailable for this reason.
    case unavailable(String)
  }

  struct WirelessAdapter: Equatable {
    var name: String
    /// Nil if the state cannot be read.
    var savesPower: Bool?
  }

  /// A folder to which a peer writes.
  struct Folder: Equatable {
    /// The free space for this user in octets; nil if it is not known.
    var free: Int64?
    var isWritable: Bool
  }

  var user: User

  /// The policy of a thread that asked for the priority of a peer's clock thread.
  var priority: SchedulingPolicy
  /// The highest real-time priority that this login permits (RLIMIT_RTPRIO), 0...99; nil if it is not known.
  var priorityLimit: Int?
  /// The warning of ``MemoryLock/lockAll()``; nil if all memory is locked.
  var memoryWarning: String?
  var limits: [LimitLine]
  /// The governor of each processor that has one.
  var governors: [String]
  /// The resolution of CLOCK_MONOTONIC; nil if it is not known.
  var timerResolution: Nanoseconds?
  /// The timing test; nil if it was not run.
  var wakeUps: WakeUpTest?

  /// Whether the folder /dev/snd exists.
  var hasSoundFolder: Bool
  /// Whether there are sound cards that this user may not open.
  var isSoundDenied: Bool
  /// The names of the devices that a peer can play through, without the default device.
  var cards: [String]
  var defaultCard: DefaultCard
  var soundFont: String
  /// Why the SoundFont cannot be loaded; nil if it can.
  var soundFontFault: String?

  var surroundings: Surroundings
  var hasAvahi: Bool
  /// The control port; 0 for any free pair.
  var port: UInt16
  /// The error of the port pair; nil if both ports are free.
  var portFault: String?
  var wirelessAdapters: [WirelessAdapter]
  /// Whether `iw`, which reads the state of power save, is installed.
  var hasIw: Bool

  /// The current folder, in which recordings are written.
  var recordings: Folder
  /// The folder for the identity and the session of a peer.
  var state: Folder
}
