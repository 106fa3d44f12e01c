import Foundation
import Realtime
import Testing
import Transports
import _TestSupport
import _TestTraits

/// Tests of `tutti doctor` as a process. Each fault is a real condition of the machine or of the process.
@Suite(.ownThreads) struct DoctorProcessTests {
  /// The JSON output.
  fileprivate struct Report: Decodable {
    struct Check: Decodable {
      struct Remedy: Decodable {
        var commands: [String]
        var advice: String?
      }
      var id, name, state, finding, why: String
      var remedy: Remedy?
    }
    struct Timing: Decodable {
      struct Lateness: Decodable {
        var count: Int
        var p50, p99, maximum: Double

        enum CodingKeys: String, CodingKey {
          case count
          case p50 = "p50_us"
          case p99 = "p99_us"
          case maximum = "max_us"
        }
      }
      var scheduler: String
      var period: Double
      var lateness: Lateness

      enum CodingKeys: String, CodingKey {
        case scheduler, lateness
        case period = "period_us"
      }
    }
    var checks: [Check]
    var fault: Bool
    var timing: Timing?

    /// Returns the check with this `id`.
    func check(_ id: String) throws -> Check { try #require(checks.first { $0.id == id }) }
  }

  /// Runs `tutti doctor --json`, by default without a timing test and with any free ports. Expects that the exit status is 1 if there is a
  /// fault, otherwise 0.
  private func report(
    _ arguments: [String] = ["--seconds", "0", "--port", "0"], prefix: [String] = [],
    environment: [String: String] = [:], in folder: TemporaryFolder? = nil
  ) async throws -> Report {
    let outcome = try await Child.tutti(
      ["doctor", "--json"] + arguments, prefix: prefix, environment: environment, in: folder ?? TemporaryFolder()
    ).outcome()
    #expect(outcome.errors == "")
    let report = try JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8))
    #expect(outcome.status == (report.fault ? 1 : 0) && report.fault == report.checks.contains { $0.state == "fault" })
    for check in report.checks { #expect((check.state == "ok") == (check.remedy == nil), "\(check)") }
    return report
  }

  @Test func portsSoundFontAndDiskAreFound() async throws {
    let report = try await report(["--seconds", "0", "--port", "0", "--soundfont", InstalledSoundFont.timGM6mb.path])
    for id in ["ports", "soundfont", "disk_recordings", "disk_state"] {
      let check = try report.check(id)
      #expect(check.state == "ok", "\(check)")
    }
    #expect(report.timing == nil && !report.checks.contains { $0.id == "timing" })
  }

  /// A thread without real-time priority shows the same figures. Whether they are good depends on the load of the machine.
  @Test func timingTestWakesUpEveryTwoMilliseconds() async throws {
    let report = try await report(["--seconds", "0.5", "--port", "0"])
    let timing = try #require(report.timing)
    #expect(timing.period == 2000 && timing.lateness.count == 250 && timing.scheduler.hasPrefix("SCHED_"))
    #expect(0 < timing.lateness.p50 && timing.lateness.p50 <= timing.lateness.p99)
    #expect(timing.lateness.p99 <= timing.lateness.maximum)
    let state = timing.lateness.p99 > 1000 ? "fault" : timing.lateness.maximum > 5000 ? "note" : "ok"
    #expect(try report.check("timing").state == state)
    let isRealtime = try report.check("realtime_priority").state == "ok"
    #expect(timing.scheduler == (isRealtime ? "SCHED_FIFO 70" : "SCHED_OTHER"))
  }

  /// Words before a command that root runs as another user, without capabilities except one: this user can read the program and its files.
  private static let nobody =
    ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    + ["--inh-caps=+dac_read_search", "--ambient-caps=+dac_read_search"]

  /// Root loses its capabilities by becoming another user. Any other user gives up the permissions of limits.d.
  @Test func missingPermissionIsAFault() async throws {
    let report = try await report(
      prefix: ["prlimit", "--rtprio=0:0", "--memlock=65536:65536"] + (geteuid() == 0 ? Self.nobody : []))
    let priority = try report.check("realtime_priority")
    #expect(priority.state == "fault" && priority.finding.hasSuffix("limit rtprio of this login is 0"), "\(priority)")
    let memory = try report.check("memory_lock")
    #expect(memory.state == "note" && memory.finding.hasPrefix("refused ("), "\(memory)")
    guard geteuid() == 0 else { return }
    // The folder belongs to root.
    #expect(try report.check("disk_recordings").finding == "this folder cannot be written to")
  }

  /// The program has the permissions of this process.
  @Test func permissionIsThatOfTheProcess() async throws {
    let thread = RealtimeThread(name: "permission", priority: 70) {}
    thread.join()
    let report = try await report()
    let isGranted = thread.schedulingPolicy == .fifo(70)
    #expect(try report.check("realtime_priority").state == (isGranted ? "ok" : "fault"))
    let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let capabilities = try #require(status.firstMatch(of: /CapEff:\s+([0-9a-f]+)/).flatMap { UInt64($0.1, radix: 16) })
    // CAP_IPC_LOCK is capability 14. Without it, the limit decides.
    if capabilities >> 14 & 1 == 1 { #expect(try report.check("memory_lock").state == "ok") }
  }

  /// The user `nobody` on another machine, as far as files show it, in a mount namespace: one processor that saves power, a Wi-Fi adapter, a
  /// sound card of root, a line of limits.d, and a group `audio` without members.
  @Test(.enabled(if: geteuid() == 0, "only root can replace the files that describe the machine"))
  func filesOfTheMachineAreRead() async throws {
    let folder = try TemporaryFolder()
    for name in ["bin", "dev"] {
      try FileManager.default.createDirectory(atPath: folder.path(name), withIntermediateDirectories: true)
    }
    let iw = "#!/bin/sh\n[ \"$*\" = 'dev wlan0 get power_save' ] && echo 'Power save: on'\n"
    try iw.write(toFile: folder.path("bin/iw"), atomically: false, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder.path("bin/iw"))
    try "root:x:0:\naudio:x:29:ada\n".write(toFile: folder.path("group"), atomically: false, encoding: .utf8)
    let script = """
      set -e
      mount -t tmpfs none dev
      cp -a /dev/null /dev/zero /dev/urandom dev
      mkdir dev/snd
      (umask 077; : >dev/snd/controlC0)
      mount --move dev /dev
      mount -t tmpfs none /sys/class/net
      mkdir -p /sys/class/net/wlan0/wireless /sys/class/net/eth0
      mount -t tmpfs none /sys/devices/system/cpu
      mkdir -p /sys/devices/system/cpu/cpu0/cpufreq /sys/devices/system/cpu/cpuidle
      echo powersave >/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor
      mount -t tmpfs none /etc/security/limits.d
      echo 'nobody - rtprio 95' >/etc/security/limits.d/nobody.conf
      mount --bind group /etc/group
      PATH=$PWD/bin:$PATH exec "$@"
      """
    let report = try await report(
      prefix: ["unshare", "--mount", "sh", "-c", script, "sh", "prlimit", "--memlock=65536:65536"] + Self.nobody,
      in: folder)
    func expect(_ id: String, _ state: String, _ finding: String, _ commands: [String]) throws {
      let check = try report.check(id)
      #expect(check.state == state && check.finding == finding && check.remedy?.commands == commands, "\(check)")
    }
    let memlock = "echo 'nobody - memlock unlimited' | sudo tee -a /etc/security/limits.d/tutti.conf"
    #expect(try report.check("memory_lock").remedy?.commands == [memlock])
    // Each command is printed once.
    try expect("limits", "note", "no line gives memlock to nobody", [])
    // The line for the priority is there already.
    #expect(try report.check("realtime_priority").remedy?.advice == "Log out and log in again.")
    try expect(
      "governor", "note", "powersave on 1 of 1 processors",
      ["echo performance | sudo tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor"])
    try expect("sound_devices", "fault", "no permission to use them", ["sudo usermod -aG audio nobody"])
    try expect("audio_group", "fault", "nobody is no member", ["sudo usermod -aG audio nobody"])
    try expect("wifi_power_save", "note", "on (wlan0)", ["sudo iw dev wlan0 set power_save off"])
  }

  /// With an empty configuration, ALSA finds no device on any machine.
  @Test func missingCardIsAFault() async throws {
    let report = try await report(environment: ["ALSA_CONFIG_PATH": "/dev/null"])
    let check = try report.check("sound_cards")
    #expect(check.state == "fault" && check.finding.contains("no such sound card"), "\(check)")
    #expect(check.remedy?.advice?.contains("--audio wav:FILE") == true, "\(check)")
    let devices = try report.check("sound_devices")
    let areMissing = access("/dev/snd", F_OK) != 0
    #expect(devices.state == "fault" || !areMissing, "\(devices)")
  }

  @Test(.enabled(if: Lab.hasLoopback, "\(Lab.needsLoopback)")) func cardOfTheMachineIsFound() async throws {
    let report = try await report()
    #expect(try report.check("sound_devices").state == "ok")
    #expect(try report.check("sound_cards").finding.contains("hw:Loopback,0"))
  }

  @Test func missingAvahiIsANote() async throws {
    let folder = try TemporaryFolder()
    let report = try await report(environment: ["DBUS_SYSTEM_BUS_ADDRESS": "unix:path=\(folder.path("bus"))"])
    let check = try report.check("avahi")
    #expect(check.state == "note" && check.finding == "the Avahi daemon is not running", "\(check)")
    #expect(check.remedy?.commands.last?.hasSuffix("systemctl enable --now avahi-daemon") == true, "\(check)")
  }

  @Test func missingOrDamagedSoundFontIsAFault() async throws {
    let folder = try TemporaryFolder()
    try Data("no sounds".utf8).write(to: URL(fileURLWithPath: folder.path("broken.sf2")))
    for (file, reason) in [("none.sf2", "No such file or directory"), ("broken.sf2", "not a SoundFont")] {
      let report = try await report(["--seconds", "0", "--port", "0", "--soundfont", file], in: folder)
      let check = try report.check("soundfont")
      #expect(check.state == "fault" && check.finding == "\(file): \(reason)", "\(check)")
      #expect(check.remedy?.commands.first?.hasSuffix("apt-get install timgm6mb-soundfont") == true, "\(check)")
    }
  }

  /// The program runs in a file system of 64 KiB without free space, in a mount namespace of its own.
  @Test(.enabled(if: geteuid() == 0, "only root can mount a full disk")) func fullDiskIsAFault() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(atPath: folder.path("full"), withIntermediateDirectories: true)
    let script = """
      mount -t tmpfs -o size=64k none full && cd full && ! head -c 1M /dev/zero 2>/dev/null >fill && \
      XDG_STATE_HOME=$PWD exec "$@"
      """
    let report = try await report(prefix: ["unshare", "--mount", "sh", "-c", script, "sh"], in: folder)
    let check = try report.check("disk_recordings")
    #expect(check.state == "fault" && check.finding == "0 kB free, which is 0 min of sound", "\(check)")
    let state = try report.check("disk_state")
    #expect(state.state == "note" && state.finding == "0 kB free", "\(state)")
  }

  @Test func stateFolderThatCannotExistIsANote() async throws {
    let report = try await report(environment: ["XDG_STATE_HOME": "/dev/null/x"])
    let check = try report.check("disk_state")
    #expect(check.state == "note" && check.finding == "the state folder cannot be written to", "\(check)")
  }

  @Test func portInUseIsAFault() async throws {
    let taken = try PortPair(port: 0)
    defer { taken.data.close() }
    let port = taken.control.port
    func expect(_ subject: String) async throws {
      let check = try await report(["--seconds", "0", "--port", "\(port)"]).check("ports")
      #expect(check.state == "fault" && check.finding == "\(subject): Address already in use", "\(check)")
      let command = "ss -lunp 'sport = :\(port) or sport = :\(port + 1)'"
      #expect(check.remedy?.commands.first?.hasSuffix(command) == true, "\(check)")
    }
    try await expect("UDP port \(port)")
    taken.control.close()
    try await expect("UDP port \(port + 1) (the data port of --port \(port))")
  }

  @Test func textAndJSONHaveTheSameChecks() async throws {
    let folder = try TemporaryFolder()
    let report = try await report(in: folder)
    let text = try await Child.tutti(["doctor", "--seconds", "0", "--port", "0"], in: folder).outcome()
    #expect(text.errors == "" && text.status == (report.fault ? 1 : 0))
    let lines = text.output.split(separator: "\n")
    for line in lines { #expect(line.count <= 80, "\(line)") }
    for check in report.checks {
      let state = ["fault": "FAULT", "unknown": "not known"][check.state] ?? check.state
      #expect(lines.contains { $0.hasPrefix(state + " ") && $0.contains(" \(check.name): ") }, "\(check)")
      #expect(lines.contains { $0.hasSuffix(check.why) }, "\(check)")
    }
    let verdict = report.fault ? "timing or sound will suffer" : "this machine is ready to play"
    #expect(lines.last?.hasSuffix(verdict) == true)
  }

  @Test func terminalShowsTheProgressOfTheTimingTest() async throws {
    let session = try TerminalSession(
      columns: 80, in: TemporaryFolder(), ["doctor", "--seconds", "600", "--port", "0"])
    try await session.wait(for: "timing test: 0 of 600 s")
    session.child.signal(SIGTERM)
    #expect(try await session.child.status() != 0)
    withExtendedLifetime(session) {}
  }
}
