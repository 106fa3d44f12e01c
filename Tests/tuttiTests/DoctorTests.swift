import Foundation
import Measurement
import MusicalTime
import Realtime
import Testing

@testable import tutti

/// Tests of the verdicts of `tutti doctor` about the facts of a machine, without a real machine.
@Suite struct DoctorTests {
  /// A machine without any defect.
  private static var healthy: Machine {
    Machine(
      user: Machine.User(name: "ada", isRoot: false, loginGroups: ["ada", "audio"], listedGroups: ["ada", "audio"]),
      priority: .fifo(70), priorityLimit: 95, memoryWarning: nil,
      limits: LimitLine.lines(of: "@audio - rtprio 95\n@audio - memlock unlimited\n"),
      governors: ["performance", "performance"], timerResolution: Nanoseconds(1), wakeUps: test(late: 50),
      hasSoundFolder: true, isSoundDenied: false, cards: ["hw:PCH,0"], defaultCard: .opened,
      soundFont: "/usr/share/sounds/sf2/default-GM.sf2", surroundings: .sessions(2), hasAvahi: true, port: 5004,
      wirelessAdapters: [Machine.WirelessAdapter(name: "wlan0", savesPower: false)], hasIw: true,
      recordings: Machine.Folder(free: 50_000_000_000, isWritable: true),
      state: Machine.Folder(free: 50_000_000_000, isWritable: true))
  }

  /// A timing test of a thousand wake-ups with this lateness in microseconds, of which `count` have another lateness.
  private static func test(late microseconds: Double, others count: Int = 0, late other: Double = 0) -> WakeUpTest {
    let values = (0..<1000).map { ($0 < count ? other : microseconds) * 1e3 }
    // There are a thousand values, so there is a distribution.
    return WakeUpTest(policy: .fifo(70), lateness: Distribution(values)!)
  }

  /// A defect of a machine, and the check that reports it.
  struct Defect: CustomTestStringConvertible, Sendable {
    var testDescription: String
    var id: String
    var state: Check.State
    /// A part of the finding.
    var finding: String
    /// The commands of the remedy.
    var commands: [String]
    /// A part of the advice.
    var advice: String
    var cause: @Sendable (inout Machine) -> Void

    init(
      _ name: String, _ id: String, _ state: Check.State, _ finding: String, _ commands: [String], _ advice: String,
      cause: @escaping @Sendable (inout Machine) -> Void
    ) {
      (testDescription, self.id, self.state, self.finding) = (name, id, state, finding)
      (self.commands, self.advice, self.cause) = (commands, advice, cause)
    }
  }

  private static let memoryWarning =
    "memory lock: refused (the limit of 64 KB is too low); add the line `NAME - memlock unlimited`; log in again"
  private static let rtprio = "echo 'ada - rtprio 95' | sudo tee -a /etc/security/limits.d/tutti.conf"
  private static let memlock = "echo 'ada - memlock unlimited' | sudo tee -a /etc/security/limits.d/tutti.conf"

  static let defects = [
    Defect("no permission for SCHED_FIFO", "realtime_priority", .fault, "is 0", [rtprio], "log in again") {
      ($0.priority, $0.priorityLimit, $0.limits) = (.other(refused: EPERM), 0, [])
    },
    Defect("a line that is not in effect", "realtime_priority", .fault, "not permitted", [], "Log out and log in") {
      $0.priority = .other(refused: EPERM)
    },
    Defect("no permission for SCHED_FIFO as root", "realtime_priority", .fault, "refused", [], "--cap-add sys_nice") {
      ($0.priority, $0.user.isRoot) = (.other(refused: EPERM), true)
    },
    Defect("no memory lock", "memory_lock", .note, "refused (the limit of 64 KB is too low)", [memlock], "log in") {
      ($0.memoryWarning, $0.limits) = (memoryWarning, [])
    },
    Defect("a memory lock with a limit", "memory_lock", .note, "refused", [memlock], "log in again") {
      ($0.memoryWarning, $0.limits) = (memoryWarning, LimitLine.lines(of: "ada - memlock 65536"))
    },
    Defect("no lines", "limits", .note, "no line gives rtprio and memlock to ada", [], "log in again") {
      ($0.priority, $0.memoryWarning, $0.limits) = (.other(refused: EPERM), memoryWarning, [])
    },
    Defect("lines that are not in effect", "limits", .note, "not yet in effect", [], "Log out and log in again.") {
      ($0.priority, $0.memoryWarning) = (.other(refused: EPERM), memoryWarning)
    },
    Defect(
      "a governor that saves power", "governor", .note, "powersave on 1 of 2 processors",
      ["echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"], "restarts"
    ) { $0.governors = ["performance", "powersave"] },
    Defect("no governor", "governor", .unknown, "not stated", [], "host") { $0.governors = [] },
    Defect(
      "a slow timer", "timer", .fault, "4 ms",
      ["sudo sed -i 's/highres=off//' /etc/default/grub", "sudo update-grub"], "restart"
    ) { $0.timerResolution = .milliseconds(4) },
    Defect("an unknown timer", "timer", .unknown, "not state", [], "high-resolution") { $0.timerResolution = nil },
    Defect("no sound devices", "sound_devices", .fault, "missing", [], "Connect a sound card") {
      ($0.hasSoundFolder, $0.defaultCard) = (false, .failed(reason: "no such sound card", remedy: "record"))
    },
    // The sound goes to another machine.
    Defect("a sound server without a card", "sound_devices", .note, "missing", [], "Connect a sound card") {
      $0.hasSoundFolder = false
    },
    Defect(
      "no permission for the sound devices", "sound_devices", .fault, "no permission",
      ["sudo usermod -aG audio ada"], "log in again"
    ) { ($0.isSoundDenied, $0.user.loginGroups, $0.user.listedGroups) = (true, ["ada"], ["ada"]) },
    Defect("no card", "sound_cards", .fault, "(no such sound card)", [], "Record with --audio wav:FILE.") {
      ($0.defaultCard, $0.cards) = (.failed(reason: "no such sound card", remedy: "record with --audio wav:FILE"), [])
    },
    Defect(
      "a sound server that does not answer", "sound_cards", .fault, "does not answer; others: hw:PCH,0",
      ["systemctl --user restart pipewire wireplumber"], "restart the sound server"
    ) { $0.defaultCard = .silent },
    Defect("no member of audio", "audio_group", .fault, "ada is no member", ["sudo usermod -aG audio ada"], "log in") {
      ($0.isSoundDenied, $0.user.loginGroups, $0.user.listedGroups) = (true, ["ada"], ["ada"])
    },
    Defect("a new member of audio", "audio_group", .fault, "not yet in this login", [], "Log out and log in again.") {
      ($0.isSoundDenied, $0.user.loginGroups) = (true, ["ada"])
    },
    Defect(
      "no SoundFont", "soundfont", .fault, "none.sf2: No such file", ["sudo apt-get install timgm6mb-soundfont"],
      "--soundfont FILE"
    ) { ($0.soundFont, $0.soundFontFault) = ("none.sf2", "No such file or directory") },
    Defect(
      "a stopped Avahi daemon", "avahi", .note, "the daemon is not running",
      ["sudo systemctl enable --now avahi-daemon"], "--connect HOST:PORT"
    ) { $0.surroundings = .unavailable("the daemon is not running") },
    Defect(
      "no Avahi", "avahi", .note, "the daemon is not running",
      ["sudo apt-get install avahi-daemon", "sudo systemctl enable --now avahi-daemon"], "--connect HOST:PORT"
    ) { ($0.surroundings, $0.hasAvahi) = (.unavailable("the daemon is not running"), false) },
    Defect(
      "a port in use", "ports", .fault, "UDP port 5005: Address already in use",
      ["sudo ss -lunp 'sport = :5004 or sport = :5005'"], "--port N"
    ) { $0.portFault = "UDP port 5005: Address already in use" },
    Defect("power save", "wifi_power_save", .note, "on (wlan0)", ["sudo iw dev wlan0 set power_save off"], "again") {
      $0.wirelessAdapters[0].savesPower = true
    },
    Defect("no iw", "wifi_power_save", .unknown, "iw is not installed", ["sudo apt-get install iw"], "tutti doctor") {
      ($0.wirelessAdapters[0].savesPower, $0.hasIw) = (nil, false)
    },
    Defect("an adapter without power save", "wifi_power_save", .unknown, "does not state it", [], "Use a cable") {
      $0.wirelessAdapters[0].savesPower = nil
    },
    Defect("a full disk", "disk_recordings", .fault, "11 MB free, which is 0 min", ["df -h ."], "Delete files") {
      $0.recordings.free = 11_519_999
    },
    Defect("an almost full disk", "disk_recordings", .note, "which is 59 min", ["df -h ."], "Delete files") {
      $0.recordings.free = 60 * 11_520_000 - 1
    },
    Defect("a folder of another user", "disk_recordings", .note, "cannot be written to", [], "a folder of your own") {
      $0.recordings.isWritable = false
    },
    Defect(
      "a full disk of the state folder", "disk_state", .note, "1 MB free",
      ["df -h \"${XDG_STATE_HOME:-$HOME}\""], "XDG_STATE_HOME"
    ) { $0.state.free = (1 << 20) - 1 },
    Defect(
      "a state folder of another user", "disk_state", .note, "cannot be written to",
      ["mkdir -p ~/tutti-state && export XDG_STATE_HOME=~/tutti-state"], "start the peer"
    ) { $0.state.isWritable = false },
    // The 99th percentile of 1000 values is the 990th.
    Defect("late wake-ups", "timing", .fault, "p50 50 us, p99 1001 us, maximum 1001 us", [], "Close other programs.") {
      $0.wakeUps = test(late: 50, others: 11, late: 1001)
    },
    Defect("a very late wake-up", "timing", .note, "p99 50 us, maximum 5001 us", [], "Close other programs.") {
      $0.wakeUps = test(late: 50, others: 10, late: 5001)
    },
  ]

  @Test func machineWithoutADefectIsReady() {
    let checks = Self.healthy.checks
    for check in checks { #expect(check.state == .ok && check.remedy == nil, "\(check)") }
    #expect(!checks.haveFault && checks.summary == "15 ok: this machine is ready to play")
  }

  @Test(arguments: defects) func defectIsReportedWithItsRemedy(defect: Defect) throws {
    var machine = Self.healthy
    defect.cause(&machine)
    let check = try #require(machine.checks.first { $0.id == defect.id })
    #expect(check.state == defect.state && check.finding.contains(defect.finding), "\(check)")
    let remedy = try #require(check.remedy)
    #expect(remedy.commands == defect.commands && remedy.advice?.contains(defect.advice) == true, "\(remedy)")
    if defect.state == .fault { #expect(machine.checks.haveFault) }
  }

  /// Each limit, and a value at it. The checks stay ok.
  @Test func valuesAtTheLimitsAreNoDefects() {
    var machine = Self.healthy
    machine.wakeUps = Self.test(late: 1000, others: 10, late: 5000)
    machine.recordings.free = 60 * 11_520_000
    machine.state.free = 1 << 20
    machine.timerResolution = .microseconds(999)
    machine.wirelessAdapters = []
    for check in machine.checks { #expect(check.state == .ok, "\(check)") }
  }

  @Test func onlyFaultsChangeTheVerdict() {
    for defect in Self.defects where defect.state != .fault {
      var machine = Self.healthy
      defect.cause(&machine)
      let hasFault = machine.checks.contains { $0.state == .fault }
      // A refused priority, which also causes a note about the limits, is a fault.
      #expect(hasFault == (machine.priority != .fifo(70)) && machine.checks.haveFault == hasFault, "\(defect)")
    }
  }

  @Test func machineWithoutATimingTestHasNoSuchCheck() {
    var machine = Self.healthy
    machine.wakeUps = nil
    #expect(machine.checks.map(\.id) == Self.healthy.checks.map(\.id).filter { $0 != "timing" })
  }

  @Test func rootNeedsNeitherGroupNorLimitsNorSudo() throws {
    var machine = Self.healthy
    machine.user = Machine.User(name: "root", isRoot: true, loginGroups: ["root"], listedGroups: ["root"])
    machine.limits = []
    #expect(machine.checks.allSatisfy { $0.state == .ok })
    for defect in Self.defects {
      var machine = machine
      defect.cause(&machine)
      machine.user = Machine.User(name: "root", isRoot: true, loginGroups: ["root"], listedGroups: ["root"])
      let commands = machine.checks.compactMap(\.remedy).flatMap(\.commands)
      #expect(!commands.contains { $0.contains("sudo") || $0.contains("limits.d") }, "\(commands)")
    }
  }

  @Test func linesFitTheTerminal() {
    for defect in Self.defects {
      var machine = Self.healthy
      defect.cause(&machine)
      for check in machine.checks {
        #expect(check.why.count <= Check.width - Check.indent, "\(check.why)")
        for line in check.lines { #expect(line.count <= Check.width && line == line.trimmedAtEnd, "\(line)") }
      }
    }
  }

  @Test func textContainsStateFindingReasonAndRemedy() throws {
    var machine = Self.healthy
    (machine.priority, machine.priorityLimit, machine.limits) = (.other(refused: EPERM), 0, [])
    (machine.memoryWarning, machine.user.name) = (Self.memoryWarning, "ada-with-a-long-name")
    let checks = machine.checks
    #expect(
      checks[0].lines == [
        "FAULT      Real-time priority: refused (Operation not permitted), the limit",
        "           rtprio of this login is 0",
        "           Without real-time priority, other programs delay the clock.",
        // The shell continues the line after the pipe.
        "    $ echo 'ada-with-a-long-name - rtprio 95' |",
        "      sudo tee -a /etc/security/limits.d/tutti.conf",
        "           Then log out and log in again.",
      ])
    #expect(checks.summary == "1 fault, 2 notes, 12 ok: timing or sound will suffer")
    machine.governors = []
    #expect(
      machine.checks.first { $0.id == "governor" }?.lines == [
        "not known  Processor governor: not stated, as in most virtual machines",
        "           A processor that runs slowly to save power wakes up later.",
        "  remedy:  In a virtual machine, set the governor of its host to performance.",
      ])
  }

  @Test func linesOfLimitsAreRead() {
    let text = """
      # ada - rtprio 95
      ada - rtprio 70   # enough for the clock thread
      @audio\t-\trtprio\t69
      * - memlock unlimited
      ben - memlock 65536
      ada soft rtprio 95
      ada hard rtprio 95
      ada - nofile 4096
      ada - rtprio much
      ada - rtprio
      @audio - memlock -1
      """
    let lines = LimitLine.lines(of: text)
    #expect(
      lines.map(\.text) == [
        "ada - rtprio 70", "@audio - rtprio 69", "* - memlock unlimited", "ben - memlock 65536",
        "@audio - memlock unlimited",
      ])
    #expect(lines.map(\.isSufficient) == [true, false, true, false, true])
    let ada = Machine.User(name: "ada", isRoot: false, loginGroups: ["ada"], listedGroups: ["ada", "audio"])
    #expect(lines.map { $0.applies(to: ada) } == [true, true, true, false, true])
    let root = Machine.User(name: "root", isRoot: true, loginGroups: ["root"], listedGroups: ["root"])
    #expect(lines.map { $0.applies(to: root) } == [false, false, false, false, false])
  }

  @Test func reasonOfAWarningIsBetweenTheThingAndTheRemedy() {
    #expect("memory lock: refused (limit: 8 MB); add a line; log in".statedReason == "refused (limit: 8 MB)")
    #expect("discovery: stopped".statedReason == "stopped" && "stopped".statedReason == "stopped")
  }
}

extension String {
  /// The text without spaces at its end.
  fileprivate var trimmedAtEnd: String { String(reversed().drop { $0 == " " }.reversed()) }
}
