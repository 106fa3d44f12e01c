import Audio
import Engine
import Foundation
import Measurement
import MusicalTime
import Realtime
import Transports

// Reading of the facts.
extension Machine {
  /// Administration programs are not on the search path of every user.
  private static let administration = ["/usr/sbin", "/sbin"]
  /// How long to wait for a device that may block for ever.
  private static var timeout: Nanoseconds { .seconds(3) }

  /// Reads the facts, without the timing test. This takes about two seconds. Afterwards, the memory of the process is locked, as that of
  /// a peer, if the system permits this.
  ///
  /// - Parameters:
  ///   - port: the control port of the peer; 0 for any free pair.
  ///   - soundFont: the path of its SoundFont.
  init(port: UInt16, soundFont: String) {
    user = User.current
    // The lock comes after the SoundFont, which needs up to 150 MB, is loaded and released.
    soundFontFault = Self.fault(ofSoundFont: soundFont)
    (self.soundFont, self.port) = (soundFont, port)
    hasSoundFolder = access("/dev/snd", F_OK) == 0
    isSoundDenied = PCMDevices.isAccessDenied
    cards = PCMDevices.all.map(\.name).filter { $0 != "default" }
    defaultCard = Self.openDefaultCard()
    do {
      surroundings = .sessions(try Discovery.browse().count)
    } catch {
      surroundings = .unavailable("\(error)".statedReason)
    }
    hasAvahi = InstalledProgram.find("avahi-daemon", alsoIn: Self.administration) != nil
    do {
      try PortPair(port: port).close()
    } catch {
      portFault = "\(error)".components(separatedBy: "; ")[0]
    }
    let iw = InstalledProgram.find("iw", alsoIn: Self.administration)
    hasIw = iw != nil
    wirelessAdapters = Self.wirelessAdapters(iw)
    recordings = Folder(at: FileManager.default.currentDirectoryPath)
    state = Folder(at: StateFolder.path)

    let files = Self.names(in: "/etc/security/limits.d").filter { $0.hasSuffix(".conf") }.sorted()
    limits = (["/etc/security/limits.conf"] + files.map { "/etc/security/limits.d/\($0)" }).flatMap {
      LimitLine.lines(of: Self.text(of: $0) ?? "")
    }
    governors = Self.names(in: "/sys/devices/system/cpu").filter { $0.wholeMatch(of: /cpu\d+/) != nil }.compactMap {
      Self.text(of: "/sys/devices/system/cpu/\($0)/cpufreq/scaling_governor")
    }
    var resolution = timespec()
    if clock_getres(CLOCK_MONOTONIC, &resolution) == 0 {
      timerResolution = .seconds(Int64(resolution.tv_sec)) + Nanoseconds(Int64(resolution.tv_nsec))
    }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(__RLIMIT_RTPRIO.rawValue), &limit) == 0 {
      priorityLimit = Int(min(limit.rlim_cur, 99))
    }
    memoryWarning = MemoryLock.lockAll()
    let thread = RealtimeThread(name: "permission", priority: WakeUpTest.priority) {}
    priority = thread.schedulingPolicy
    thread.join()
  }

  /// Loads the SoundFont as a peer does. Returns the reason if this fails.
  private static func fault(ofSoundFont path: String) -> String? {
    do {
      _ = try SoundModule(soundFont: path)
      return nil
    } catch { return error.reason }
  }

  /// Opens the default device with the parameters of a peer, and closes it.
  private static func openDefaultCard() -> DefaultCard {
    let call = TimedCall { () -> DefaultCard in
      do throws(PCMError) {
        try PCMDevice("default").close()
        return .opened
      } catch { return .failed(reason: error.reason, remedy: error.remedy) }
    }
    return call.value(by: MonotonicClock.now + timeout) ?? .silent
  }

  /// The Wi-Fi adapters. The program `iw` reads the state of their power save; the kernel has no file for it.
  private static func wirelessAdapters(_ iw: URL?) -> [WirelessAdapter] {
    names(in: "/sys/class/net").sorted().filter { name in
      ["wireless", "phy80211"].contains { access("/sys/class/net/\(name)/\($0)", F_OK) == 0 }
    }.map { name in
      guard let iw, let answer = output(of: iw, ["dev", name, "get", "power_save"]) else {
        return WirelessAdapter(name: name)
      }
      // The answer is "Power save: on" or "Power save: off".
      let state = answer.split(whereSeparator: \.isWhitespace).last
      return WirelessAdapter(name: name, savesPower: ["on": true, "off": false][state ?? ""])
    }
  }

  /// Runs a program and returns its standard output; nil if it cannot be executed or reports an error.
  private static func output(of program: URL, _ arguments: [String]) -> String? {
    let (process, pipe) = (Process(), Pipe())
    (process.executableURL, process.arguments) = (program, arguments)
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, pipe)
    process.standardError = FileHandle.nullDevice
    guard (try? process.run()) != nil, let data = try? pipe.fileHandleForReading.readToEnd() else { return nil }
    process.waitUntilExit()
    return process.terminationStatus == 0 ? String(decoding: data, as: UTF8.self) : nil
  }

  /// The names in a folder; none if it cannot be read.
  private static func names(in folder: String) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
  }

  /// The text of a file without surrounding spaces and line ends; nil if it cannot be read.
  fileprivate static func text(of path: String) -> String? {
    (try? String(contentsOfFile: path, encoding: .utf8))?.trimmingCharacters(in: .whitespacesAndNewlines)
  }
}

extension Machine.User {
  /// The user who runs the program.
  fileprivate static var current: Self {
    var numbers = [gid_t](repeating: 0, count: max(0, Int(getgroups(0, nil))))
    numbers = Array(numbers.prefix(max(0, Int(getgroups(Int32(numbers.count), &numbers))))) + [getegid()]
    let name = NSUserName()
    var (login, listed): (Set<String>, Set<String>) = ([], [])
    // A line is `group:password:number:members` (group(5)).
    for line in (Machine.text(of: "/etc/group") ?? "").split(separator: "\n") {
      let fields = line.split(separator: ":", omittingEmptySubsequences: false)
      guard fields.count == 4, let number = gid_t(fields[2]) else { continue }
      if numbers.contains(number) { login.insert(String(fields[0])) }
      if fields[3].split(separator: ",").contains(Substring(name)) { listed.insert(String(fields[0])) }
    }
    return Self(name: name, isRoot: geteuid() == 0, loginGroups: login, listedGroups: listed.union(login))
  }
}

extension Machine.Folder {
  /// Reads the state of the folder at `path`. If it is missing, the nearest folder above it counts, in which it would be created.
  fileprivate init(at path: String) {
    var url = URL(fileURLWithPath: path)
    while url.path != "/", !FileManager.default.fileExists(atPath: url.path) { url.deleteLastPathComponent() }
    var isFolder: ObjCBool = false
    let exists = FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder)
    isWritable = exists && isFolder.boolValue && access(url.path, W_OK) == 0
    var status = statvfs()
    // The blocks that are not reserved for root.
    if statvfs(url.path, &status) == 0 { free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize)) }
  }
}
