import Foundation
import Measurement
import MusicalTime
import Realtime

/// The file to which the remedies add lines (``LimitLine``).
private let limitsFile = "/etc/security/limits.d/tutti.conf"

extension Machine {
  /// All checks, in the order of the output.
  var checks: [Check] {
    [priorityCheck, memoryCheck, limitsCheck, governorCheck, timerCheck]
      + [soundFolderCheck, cardCheck, audioGroupCheck, soundFontCheck]
      + [avahiCheck, portCheck, wirelessCheck, recordingCheck, stateCheck]
      + [wakeUpCheck].compactMap { $0 }
  }

  private var priorityCheck: Check {
    let why = "Without real-time priority, other programs delay the clock."
    guard case .other(let code) = priority else {
      return Check("realtime_priority", "Real-time priority", .ok, "granted (\(priority))", why: why)
    }
    let limit = priorityLimit.map { ", the limit rtprio of this login is \($0)" } ?? ""
    return Check(
      "realtime_priority", "Real-time priority", .fault, "refused (\(String(cString: strerror(code))))\(limit)",
      why: why, remedy: remedy(for: .priority))
  }

  private var memoryCheck: Check {
    let why = "Unlocked memory can be moved to the disk, which delays ticks."
    guard let memoryWarning else { return Check("memory_lock", "Memory lock", .ok, "granted", why: why) }
    return Check(
      "memory_lock", "Memory lock", .note, memoryWarning.statedReason, why: why, remedy: remedy(for: .memory))
  }

  /// The lines of limits.conf and limits.d that apply to this user and suffice.
  private var sufficientLimits: [LimitLine] { limits.filter { $0.isSufficient && $0.applies(to: user) } }

  /// The items that the kernel has refused.
  private var refusedItems: [LimitLine.Item] {
    var items: [LimitLine.Item] = []
    if case .other = priority { items.append(.priority) }
    if memoryWarning != nil { items.append(.memory) }
    return items
  }

  /// The remedy if the kernel has refused `item`: a line of limits.d, or a new login if there is such a line.
  private func remedy(for item: LimitLine.Item) -> Check.Remedy {
    guard !user.isRoot else {
      // The limits do not apply to root. Root lacks the capability only in a container or a similar environment.
      let options =
        item == .priority
        ? "`--cap-add sys_nice --ulimit rtprio=95`" : "`--cap-add ipc_lock --ulimit memlock=-1`"
      return Check.Remedy(advice: "Root has no permission here. Start the container with \(options).")
    }
    if sufficientLimits.contains(where: { $0.item == item }) {
      return Check.Remedy(advice: "Log out and log in again.")
    }
    return Check.Remedy(commands: [limitsCommand(item)], advice: "Then log out and log in again.")
  }

  /// The command that adds a line for this user.
  private func limitsCommand(_ item: LimitLine.Item) -> String {
    let value = item == .priority ? "rtprio 95" : "memlock unlimited"
    return "echo '\(user.name) - \(value)' | \(user.asRoot("tee -a \(limitsFile)"))"
  }

  private var limitsCheck: Check {
    let (id, name) = ("limits", "Lines in limits.d")
    let why = "These lines give real-time priority and the memory lock to a user."
    let missing = refusedItems.filter { item in !sufficientLimits.contains { $0.item == item } }
    if user.isRoot { return Check(id, name, .ok, "not needed by root", why: why) }
    guard missing.isEmpty else {
      let items = missing.map(\.rawValue).joined(separator: " and ")
      return Check(
        id, name, .note, "no line gives \(items) to \(user.name)", why: why,
        remedy: Check.Remedy(advice: "Enter the commands above, then log out and log in again."))
    }
    guard refusedItems.isEmpty else {
      return Check(
        id, name, .note, "the lines for \(user.name) are there, but not yet in effect in this login", why: why,
        remedy: Check.Remedy(advice: "Log out and log in again."))
    }
    let lines = sufficientLimits.map { "`\($0.text)`" }.joined(separator: ", ")
    return Check(id, name, .ok, lines.isEmpty ? "none, and none are needed" : lines, why: why)
  }

  private var governorCheck: Check {
    let (id, name) = ("governor", "Processor governor")
    let why = "A processor that runs slowly to save power wakes up later."
    guard !governors.isEmpty else {
      return Check(
        id, name, .unknown, "not stated, as in most virtual machines", why: why,
        remedy: Check.Remedy(advice: "In a virtual machine, set the governor of its host to performance."))
    }
    let slow = governors.filter { $0 != "performance" }
    guard !slow.isEmpty else { return Check(id, name, .ok, "performance", why: why) }
    let names = Set(slow).sorted().joined(separator: ", ")
    let tee = user.asRoot("tee /sys/devices/system/cpu/cpu*/cpufreq/scaling_governor")
    return Check(
      id, name, .note, "\(names) on \(slow.count) of \(governors.count) processors", why: why,
      remedy: Check.Remedy(commands: ["echo performance | \(tee)"], advice: "This lasts until the machine restarts."))
  }

  private var timerCheck: Check {
    let (id, name) = ("timer", "Timer resolution")
    let why = "The kernel wakes a thread only at the steps of this timer."
    guard let timerResolution else {
      return Check(
        id, name, .unknown, "the kernel does not state it", why: why,
        remedy: Check.Remedy(advice: "Use a kernel with high-resolution timers."))
    }
    // With high-resolution timers, the kernel reports 1 ns; without them, the period of its tick: 1 to 10 ms.
    guard timerResolution >= .milliseconds(1) else {
      return Check(id, name, .ok, "\(timerResolution.count) ns", why: why)
    }
    return Check(
      id, name, .fault, "\(Self.milliseconds(Double(timerResolution.count))), high-resolution timers are off", why: why,
      remedy: Check.Remedy(
        commands: [user.asRoot("sed -i 's/highres=off//' /etc/default/grub"), user.asRoot("update-grub")],
        advice: "Then restart the machine."))
  }

  private var wakeUpCheck: Check? {
    guard let wakeUps else { return nil }
    let (id, name) = ("timing", "Timing test")
    let why = "Ticks and hits are late by as much as a peer wakes up late."
    let lateness = wakeUps.lateness
    let finding =
      "late by p50 \(Self.microseconds(lateness.p50)), p99 \(Self.microseconds(lateness.p99)), "
      + "maximum \(Self.microseconds(lateness.maximum)) (\(wakeUps.policy), \(lateness.count) wake-ups)"
    let remedy = Check.Remedy(
      advice: refusedItems.contains(.priority)
        ? "Give the peer real-time priority, as above. Close other programs."
        : "Close other programs. In a virtual machine, give it more processors.")
    if lateness.p99 > Double(WakeUpTest.limit.count) {
      return Check(id, name, .fault, finding, why: why, remedy: remedy)
    }
    if lateness.maximum > Double(WakeUpTest.gap.count) {
      return Check(id, name, .note, finding, why: why, remedy: remedy)
    }
    return Check(id, name, .ok, finding, why: why)
  }

  /// Returns the text of a time in nanoseconds, in milliseconds without decimal places.
  private static func milliseconds(_ nanoseconds: Double) -> String { "\(Int((nanoseconds / 1e6).rounded())) ms" }

  /// Returns the text of a time in nanoseconds, in microseconds without decimal places.
  private static func microseconds(_ nanoseconds: Double) -> String { "\(Int((nanoseconds / 1e3).rounded())) us" }
}
