import Foundation

extension Machine {
  var avahiCheck: Check {
    let (id, name) = ("avahi", "Avahi")
    let why = "With Avahi, peers find each other without addresses."
    switch surroundings {
    case .sessions(let count):
      let sessions = count == 0 ? "no session" : "\(count) session\(count == 1 ? "" : "s")"
      return Check(id, name, .ok, "running, finds \(sessions) on the network", why: why)
    case .unavailable(let reason):
      let installation = hasAvahi ? [] : [user.asRoot("apt-get install avahi-daemon")]
      return Check(
        id, name, .note, reason, why: why,
        remedy: Check.Remedy(
          commands: installation + [user.asRoot("systemctl enable --now avahi-daemon")],
          advice: "Or give the address of another peer: `tutti peer --connect HOST:PORT`."))
    }
  }

  var portCheck: Check {
    let (id, name) = ("ports", "Ports")
    let why = "The other peers reach your peer at these two ports."
    guard let portFault else {
      let finding = port == 0 ? "a pair of UDP ports is free" : "UDP ports \(port) and \(port + 1) are free"
      return Check(id, name, .ok, finding, why: why)
    }
    let filter = port == 0 ? "" : " 'sport = :\(port) or sport = :\(port + 1)'"
    return Check(
      id, name, .fault, portFault, why: why,
      remedy: Check.Remedy(
        commands: [user.asRoot("ss -lunp" + filter)],
        advice: "Close the program that this command shows, or choose other ports: `tutti peer --port N`."))
  }

  var wirelessCheck: Check {
    let (id, name) = ("wifi_power_save", "Wi-Fi power save")
    let why = "An adapter that sleeps to save power delays notes and ticks."
    if wirelessAdapters.isEmpty { return Check(id, name, .ok, "there is no Wi-Fi adapter", why: why) }
    func names(_ state: Bool?) -> [String] { wirelessAdapters.filter { $0.savesPower == state }.map(\.name) }
    let (saving, unknown) = (names(true), names(nil))
    guard saving.isEmpty else {
      return Check(
        id, name, .note, "on (\(saving.joined(separator: ", ")))", why: why,
        remedy: Check.Remedy(
          commands: saving.map { user.asRoot("iw dev \($0) set power_save off") },
          advice: "This lasts until the adapter connects again."))
    }
    guard unknown.isEmpty else {
      let reason = hasIw ? "the adapter does not state it" : "the program iw is not installed"
      let commands = hasIw ? [] : [user.asRoot("apt-get install iw")]
      let advice = hasIw ? "Use a cable, or switch power save off in the settings of the network." : nil
      return Check(
        id, name, .unknown, "\(unknown.joined(separator: ", ")): \(reason)", why: why,
        remedy: Check.Remedy(commands: commands, advice: advice ?? "Then run `tutti doctor` again."))
    }
    return Check(id, name, .ok, "off (\(names(false).joined(separator: ", ")))", why: why)
  }

  /// The octets of one second of a recording: 48 000 frames of two samples of 16 bits.
  private static let recordingRate: Int64 = 48_000 * 4
  /// The octets that the identity and the session of a peer need at most.
  private static let stateSize: Int64 = 1 << 20

  var recordingCheck: Check {
    let (id, name) = ("disk_recordings", "Disk of this folder")
    let why = "A recording ends when its disk is full."
    let remedy = Check.Remedy(
      commands: ["df -h ."], advice: "Delete files on this disk, or start the peer in another folder.")
    guard recordings.isWritable else {
      return Check(
        id, name, .note, "this folder cannot be written to", why: why,
        remedy: Check.Remedy(advice: "Start the peer in a folder of your own."))
    }
    guard let free = recordings.free else {
      return Check(id, name, .unknown, "the system does not state the free space", why: why, remedy: remedy)
    }
    let minutes = free / Self.recordingRate / 60
    let length = minutes < 120 ? "\(minutes) min" : "\(minutes / 60) h"
    let finding = "\(Self.size(free)) free, which is \(length) of sound"
    if minutes < 1 { return Check(id, name, .fault, finding, why: why, remedy: remedy) }
    return Check(id, name, minutes < 60 ? .note : .ok, finding, why: why, remedy: minutes < 60 ? remedy : nil)
  }

  var stateCheck: Check {
    let (id, name) = ("disk_state", "Disk of the state folder")
    let why = "A peer keeps its identity there, and what --restore needs."
    guard state.isWritable else {
      return Check(
        id, name, .note, "the state folder cannot be written to", why: why,
        remedy: Check.Remedy(
          commands: ["mkdir -p ~/tutti-state && export XDG_STATE_HOME=~/tutti-state"],
          advice: "Then start the peer in the same terminal."))
    }
    let remedy = Check.Remedy(
      commands: ["df -h \"${XDG_STATE_HOME:-$HOME}\""],
      advice: "Delete files on this disk, or set XDG_STATE_HOME to a folder on another disk.")
    guard let free = state.free else {
      return Check(id, name, .unknown, "the system does not state the free space", why: why, remedy: remedy)
    }
    let isFull = free < Self.stateSize
    return Check(
      id, name, isFull ? .note : .ok, "\(Self.size(free)) free", why: why, remedy: isFull ? remedy : nil)
  }

  /// Returns the text of a number of octets, with a decimal unit.
  private static func size(_ octets: Int64) -> String {
    switch octets {
    case 1_000_000_000...: String(format: "%.1f GB", Double(octets) / 1e9)
    case 1_000_000...: "\(octets / 1_000_000) MB"
    default: "\(octets / 1_000) kB"
    }
  }
}
