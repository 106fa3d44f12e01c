import Engine
import Ensemble
import Foundation
import MusicalTime
import PeerProtocol

/// The status of a peer on a terminal: a few lines of at most 80 columns. A narrower terminal shows the beginning of each line.
///
///     master    12.3   ..#.   104.0 BPM  total  64 #####.....  street
///     layers    6 of 14: always, from 28, from 36, from 36 to 71, from 44, from 60
///     parts     drums 100 %, bass 80 %, guitar off, keys 100 %
///     you        64 #####.....  tilt-harp
///     Anna      page       40 ###.......
///     Ben       follower   32 ###.......  clock +0.012 ms, +-0.080
enum StatusDisplay {
  /// The largest width in columns.
  static let maximumWidth = 80
  /// The largest number of other players: remote peers, and pages and devices of any peer.
  private static let maximumPlayers = 8
  /// The range of the width of the names in columns.
  private static let nameWidths = 9...20

  /// The lines for a terminal of this size. A terminal with fewer rows shows only the first lines.
  static func lines(_ snapshot: PeerSnapshot, size: (columns: Int, rows: Int)) -> [String] {
    let rhythmLines = snapshot.score?.playsRhythm == false ? [] : [layers(snapshot), parts(snapshot)]
    let lines =
      ([rhythm(snapshot), failures(snapshot), score(snapshot)] + rhythmLines + [you(snapshot)]).compactMap { $0 }
    let pages = snapshot.players.filter { $0.player.kind != .local }
    let longest = (pages.map(\.player.name) + snapshot.members.map { name(of: $0.status) }).map(\.count).max() ?? 0
    let nameWidth = min(max(longest, nameWidths.lowerBound), nameWidths.upperBound)
    // The pages and devices of a peer follow its local player.
    func rows(ofPagesAt peer: Identity) -> [String] {
      pages.filter { $0.peer == peer }.map { page($0, nameWidth: nameWidth) }
    }
    let all =
      rows(ofPagesAt: snapshot.identity)
      + snapshot.members.flatMap {
        [member($0.status, nameWidth: nameWidth)] + rows(ofPagesAt: $0.status.identity)
      }
    // Devices without Tutti, and peers without a row in the snapshot.
    let hidden = all.count - min(all.count, maximumPlayers) + snapshot.sessions - snapshot.members.count
    let others =
      all.prefix(maximumPlayers) + (hidden > 0 ? ["and \(hidden) more; press w to list all peers"] : [])
    // The last column stays empty: some terminals begin a new line when it is filled.
    let width = max(1, min(size.columns, maximumWidth) - 1)
    return (lines + others).prefix(max(1, size.rows - 1)).map { String($0.prefix(width)) }
  }

  /// Role, tempo, bar and beat, total activity and patch.
  private static func rhythm(_ snapshot: PeerSnapshot) -> String {
    let position = padded("\(snapshot.bar).\(snapshot.beat)", 8)
    let tempo = String(format: "%6.1f BPM", snapshot.tempo.bpm)
    // One character per beat of the bar: `#` for the present beat, `.` for the others.
    let beats = (1...snapshot.meter.beats).map {
      Int64($0) == snapshot.beat && snapshot.role != .idle ? "#" : "."
    }.joined()
    return "\(padded(snapshot.role.description, 9)) \(position) \(beats)  \(tempo)  total \(activity(snapshot.total))  "
      + printable(snapshot.patchName)
  }

  /// The name of the score and the written bar; nil without a score.
  private static func score(_ snapshot: PeerSnapshot) -> String? {
    guard let score = snapshot.score else { return nil }
    let place = score.bar.map { "bar \(printable($0)) of \(score.lastBar)" } ?? (score.isHere ? "" : "not here yet")
    let pass = score.pass > 1 ? ", time \(score.pass)" : ""
    return "score     \(printable(score.name))  \(place)\(pass)\(score.isLoop ? ", repeats" : "")"
  }

  /// The files in which something is missing; nil without a failure.
  private static func failures(_ snapshot: PeerSnapshot) -> String? {
    guard !snapshot.failedFiles.isEmpty else { return nil }
    let names = snapshot.failedFiles.map { file in
      switch file {
      case .wav: "the recording (WAV)"
      case .midi: "the recording (MIDI)"
      case .trace: "the trace"
      case .state: "the state for --restore"
      }
    }
    return "NOT SAVED \(names.joined(separator: ", "))"
  }

  /// The activity and the instrument of the local player.
  private static func you(_ snapshot: PeerSnapshot) -> String {
    "you       \(activity(snapshot.activity))" + (snapshot.instrumentName.map { "  \(printable($0))" } ?? "")
      + (snapshot.isMuted ? "  muted" : "")
  }

  /// The layers that sound, with their names in the patch.
  private static func layers(_ snapshot: PeerSnapshot) -> String {
    let layers = snapshot.patch.layers
    let sounding = layers.filter { $0.activity.contains(min(snapshot.total, 127)) }.map(\.name)
    return "layers    \(sounding.count) of \(layers.count): \(sounding.joined(separator: ", "))"
  }

  /// The levels of the parts in percent. Nil if the rhythm has only drums and they play at 100 %.
  private static func parts(_ snapshot: PeerSnapshot) -> String? {
    let (others, mix) = (snapshot.patch.parts.map(\.part), snapshot.presentMix)
    if others.isEmpty, mix == .standard { return nil }
    if mix.isQuiet { return "parts     quiet" }
    let levels = ([.drums] + others).map { part in
      let number = Int(part.number)
      return "\(part.name) " + (mix.plays(part: number) ? "\(mix.level(ofPart: number)) %" : "off")
    }
    return "parts     " + levels.joined(separator: ", ")
  }

  /// Name, kind and energy of a page or a device.
  private static func page(_ status: PlayerStatus, nameWidth: Int) -> String {
    let level = status.energy.map { "  \(activity($0))" } ?? ""
    let kind = padded("\(status.player.kind)", 8)
    return
      "\(padded(shortened(printable(status.player.name), to: nameWidth), nameWidth)) \(kind)\(level)\(status.isMuted ? "  muted" : "")"
  }

  /// Name, role, activity and clock of a remote peer. The number after `+-` is the larger one of the two errors of the estimate
  /// (`ClockEstimate`).
  private static func member(_ member: MemberStatus, nameWidth: Int) -> String {
    let label = padded(shortened(printable(name(of: member)), to: nameWidth), nameWidth)
    let role = member.isMaster ? "master" : member.takesPart ? "follower" : "idle"
    let level = member.activity.map { "  \(activity($0))" } ?? ""
    let clock = member.clock.map { clock in
      String(
        format: "  clock %+.3f ms, +-%.3f", clock.offset.milliseconds,
        max(clock.uncertainty, clock.deviation).milliseconds)
    }
    return "\(label) \(padded(role, 8))\(level)\(member.isMuted ? "  muted" : "")\(clock ?? "")"
  }

  /// The name of a remote peer; its identity if it reports no name.
  private static func name(of member: MemberStatus) -> String { member.name ?? "\(member.identity)" }

  /// The name in at most `width` columns, with its last characters: the digits by which the names of two peers differ are at the end.
  static func shortened(_ name: String, to width: Int) -> String {
    name.count <= width ? name : "\(name.prefix(width - 7))..\(name.suffix(5))"
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
