import Engine
import Ensemble
import Foundation
import MusicalTime

/// The status of a peer on a terminal: a few lines of at most 80 columns. A narrower terminal shows the beginning of each line.
///
///     master    12.3   ..#.   104.0 BPM  total  64 #####.....  street
///     layers    6 of 14: always, from 28, from 36, from 36 to 71, from 44, from 60
///     parts     drums 100 %, bass 80 %, guitar off, keys 100 %
///     you        64 #####.....  tilt-harp
///     Ben       follower   32 ###.......  clock +0.012 ms, +-0.080
enum StatusDisplay {
  /// The largest width in columns.
  static let maximumWidth = 80
  /// The largest number of remote peers.
  private static let maximumMembers = 8

  /// The lines for a terminal of this size. A terminal with fewer rows shows only the first lines.
  static func lines(_ snapshot: PeerSnapshot, size: (columns: Int, rows: Int)) -> [String] {
    let status = snapshot.status
    var lines = [rhythm(status), layers(status)]
    if !status.parts.isEmpty { lines.append(parts(status)) }
    lines.append(you(status))
    let members = snapshot.members.prefix(maximumMembers)
    lines += members.map { member($0.status) }
    let hidden = status.peers - members.count
    if hidden > 0 { lines.append("and \(hidden) more; press w to list all peers") }
    // The last column stays empty: some terminals begin a new line when it is filled.
    let width = max(1, min(size.columns, maximumWidth) - 1)
    return lines.prefix(max(1, size.rows - 1)).map { String($0.prefix(width)) }
  }

  /// Role, tempo, bar and beat, total activity and patch.
  private static func rhythm(_ status: PeerStatus) -> String {
    let position = padded("\(status.bar).\(status.beat)", 8)
    let tempo = String(format: "%6.1f BPM", status.tempo.bpm)
    // One character per beat of the bar: `#` for the present beat, `.` for the others.
    let beats = (1...status.beats).map { Int64($0) == status.beat && status.role != .idle ? "#" : "." }.joined()
    return "\(padded(status.role.description, 9)) \(position) \(beats)  \(tempo)  total \(activity(status.total))  "
      + printable(status.patchName)
  }

  /// The activity and the instrument of the local player.
  private static func you(_ status: PeerStatus) -> String {
    "you       \(activity(status.activity))" + (status.instrumentName.map { "  \(printable($0))" } ?? "")
      + (status.isMuted ? "  muted" : "")
  }

  /// The layers that sound, with their names in the patch.
  private static func layers(_ status: PeerStatus) -> String {
    let sounding = status.layers.filter(\.sounds).map(\.name)
    return "layers    \(sounding.count) of \(status.layers.count): \(sounding.joined(separator: ", "))"
  }

  /// The levels of the parts.
  private static func parts(_ status: PeerStatus) -> String {
    if status.isQuiet { return "parts     quiet" }
    return "parts     "
      + status.parts.map { "\($0.name) \($0.level.map { "\($0) %" } ?? "off")" }.joined(separator: ", ")
  }

  /// Name, role, activity and clock of a remote peer. The number after `+-` is the larger one of the two errors of the estimate
  /// (`ClockEstimate`).
  private static func member(_ member: MemberStatus) -> String {
    let name = member.name ?? "\(member.identity)"
    let role = member.isMaster ? "master" : member.takesPart ? "follower" : "idle"
    let level = member.activity.map { "  \(activity($0))" } ?? ""
    let clock = member.clock.map { clock in
      String(
        format: "  clock %+.3f ms, +-%.3f", clock.offset.milliseconds,
        max(clock.uncertainty, clock.deviation).milliseconds)
    }
    return "\(padded(printable(name), 9)) \(padded(role, 8))\(level)\(member.isMuted ? "  muted" : "")\(clock ?? "")"
  }

  /// An activity as a number and a bar graph of ten characters.
  private static func activity(_ value: UInt8) -> String {
    // Rounded to the nearest character.
    let filled = (Int(value) * 10 + 63) / 127
    return String(format: "%3ld ", Int(value)) + String(repeating: "#", count: filled)
      + String(repeating: ".", count: 10 - filled)
  }

  /// The text, cut or padded to `width` characters.
  private static func padded(_ text: String, _ width: Int) -> String {
    text.padding(toLength: width, withPad: " ", startingAt: 0)
  }

  /// The name in characters that take one column. All other characters, such as control characters and wide characters, become
  /// question marks.
  private static func printable(_ name: String) -> String {
    String(name.map { $0.isASCII && !$0.isNewline && $0 >= " " && $0 != "\u{7F}" ? $0 : "?" })
  }
}
