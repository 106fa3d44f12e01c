import Engine
import Ensemble
import Foundation
import MusicalTime
import PeerProtocol
import Rhythm
import Text

/// The status of a peer on a terminal: a few lines of at most 80 columns. A narrower terminal shows the beginning of each line.
///
///     master    12.3   ..#.   104.0 BPM  total  64 #####.....  street
///     drums     kick, snare, hat (6 of 14 layers)
///     parts     drums 100 %, bass 80 %, guitar off, keys 100 %
///     you        64 #####.....  tilt-harp (or `you auto`, while no player has set an activity)
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
    // The last column stays empty: some terminals begin a new line when it is filled.
    let width = max(1, min(size.columns, maximumWidth) - 1)
    let rhythmLines =
      snapshot.score?.playsRhythm == false
      ? [] : [drums(of: snapshot.patch, total: min(snapshot.total, 127), width: width), parts(snapshot)]
    let lines =
      ([rhythm(snapshot), failures(snapshot), score(snapshot)] + rhythmLines + [you(snapshot)]).compactMap { $0 }
    let pages = snapshot.players.filter { $0.player.kind != .local }
    let longest = (pages.map(\.player.name) + snapshot.members.map { name(of: $0.status) }).map(\.columns).max() ?? 0
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
    return (lines + others).prefix(max(1, size.rows - 1)).map { $0.prefix(columns: width) }
  }

  /// The names of the other players, for commands.
  static func playerNames(_ snapshot: PeerSnapshot) -> [String] {
    snapshot.members.compactMap(\.status.name)
      + snapshot.players.filter { $0.player.kind != .local }.map(\.player.name)
  }

  /// Role, tempo, bar and beat, total activity and patch.
  private static func rhythm(_ snapshot: PeerSnapshot) -> String {
    let tempo = String(format: "%6.1f BPM", snapshot.tempo.bpm)
    let role = snapshot.role.description.padded(toColumns: 9)
    return
      "\(role) \(position(snapshot))  \(tempo)  total \(activity(snapshot.total))  \(snapshot.patchName.printable())"
  }

  /// Bar and beat, with one character per beat of the bar: `#` for the present beat, `.` for the others. During a count-in, the beats that
  /// were counted.
  private static func position(_ snapshot: PeerSnapshot) -> String {
    let beats = Int(snapshot.meter.beats)
    if let clicks = snapshot.countInClicks {
      let counted = (1...(clicks - 1) % beats + 1).map(String.init).joined(separator: " ")
      return "count-in \(counted)".padded(toColumns: 9 + beats)
    }
    let marks = (1...beats).map { $0 == Int(snapshot.beat) && snapshot.role != .idle ? "#" : "." }.joined()
    return "\(snapshot.bar).\(snapshot.beat)".padded(toColumns: 8) + " " + marks
  }

  /// The name of the score and the written bar; nil without a score.
  private static func score(_ snapshot: PeerSnapshot) -> String? {
    guard let score = snapshot.score else { return nil }
    let place = score.bar.map { "bar \($0.printable()) of \(score.lastBar)" } ?? (score.isHere ? "" : "not here yet")
    let pass = score.pass > 1 ? ", time \(score.pass)" : ""
    return "score     \(score.name.printable())  \(place)\(pass)\(score.isLoop ? ", repeats" : "")"
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

  /// The activity and the instrument of the local player. `auto`: no player has set an activity yet, so each has a part of a moderate
  /// beginning.
  private static func you(_ snapshot: PeerSnapshot) -> String {
    "\(snapshot.share > 0 ? "you auto " : "you      ") \(activity(snapshot.activity))"
      + (snapshot.instrumentName.map { "  \($0.printable())" } ?? "")
      + (snapshot.isMuted ? "  muted" : "")
  }

  /// The drums that sound at the total activity `total`, 0...127, and the number of layers. If they do not fit `width` columns, the number
  /// of the other drums stands at the end instead.
  static func drums(of patch: Patch, total: UInt8, width: Int) -> String {
    var names: [String] = []
    for line in patch.lines where line.layer != nil && line.activity.contains(total) {
      // A line can consist of rests only.
      guard line.bars.contains(where: { bar in bar.contains { $0 != nil } }) else { continue }
      let name = patch.kit[line.voice].name
      if !names.contains(name) { names.append(name) }
    }
    let sounding = patch.layers.count { $0.activity.contains(total) }
    func text(_ names: [String]) -> String { "drums     \(names.isEmpty ? "none" : names.joined(separator: ", "))" }
    let complete = "\(text(names)) (\(sounding) of \(patch.layers.count) layers)"
    guard complete.columns > width, let first = names.first else { return complete }
    let shortened = (1..<names.count).map { text(names.dropLast($0) + ["+\($0) more"]) }
    return ([text(names)] + shortened).first { $0.columns <= width } ?? text([first])
  }

  /// The levels of the parts in percent. Nil if the rhythm has only drums and they play at 100 %.
  private static func parts(_ snapshot: PeerSnapshot) -> String? {
    let (others, mix) = (snapshot.patch.parts.map(\.part), snapshot.presentMix)
    if others.isEmpty, mix == .standard { return nil }
    if mix.isQuiet { return "parts     quiet: s lets all sound again" }
    let levels = ([.drums] + others).map { part in
      let number = Int(part.number)
      return "\(part.name) " + (mix.plays(part: number) ? "\(mix.level(ofPart: number)) %" : "off")
    }
    return "parts     " + levels.joined(separator: ", ")
  }

  /// Name, kind and energy of a page or a device.
  private static func page(_ status: PlayerStatus, nameWidth: Int) -> String {
    let level = status.energy.map { "  \(activity($0))" } ?? ""
    let kind = "\(status.player.kind)".padded(toColumns: 8)
    return "\(label(status.player.name, nameWidth)) \(kind)\(level)\(status.isMuted ? "  muted" : "")"
  }

  /// Name, role, activity and clock of a remote peer. The number after `+-` is the larger one of the two errors of the estimate
  /// (`ClockEstimate`).
  private static func member(_ member: MemberStatus, nameWidth: Int) -> String {
    let label = label(name(of: member), nameWidth)
    let role = member.isMaster ? "master" : member.takesPart ? "follower" : "idle"
    let level = member.activity.map { "  \(activity($0))" } ?? ""
    let clock = member.clock.map { clock in
      let error = String(format: "%.3f", max(clock.uncertainty, clock.deviation).milliseconds)
      return "  clock \(signed(clock.offset)) ms, +-\(error)"
    }
    return "\(label) \(role.padded(toColumns: 8))\(level)\(member.isMuted ? "  muted" : "")\(clock ?? "")"
  }

  /// A time in milliseconds with its sign and three decimal places.
  static func signed(_ time: Nanoseconds) -> String {
    let rounded = (time.milliseconds * 1000).rounded() / 1000
    // A small negative time is rounded to -0. The sum with 0 has no such sign.
    return String(format: "%+.3f", rounded + 0)
  }

  /// The name of a remote peer; its identity if it reports no name.
  private static func name(of member: MemberStatus) -> String { member.name ?? "\(member.identity)" }

  /// The name in exactly `width` columns.
  private static func label(_ name: String, _ width: Int) -> String {
    shortened(name.printable(upTo: 200), to: width).padded(toColumns: width)
  }

  /// The name in at most `width` columns, with its last characters: the digits by which the names of two peers differ are at the end.
  static func shortened(_ name: String, to width: Int) -> String {
    guard name.columns > width else { return name }
    var end = name.endIndex
    while end > name.startIndex, name[name.index(before: end)...].columns <= 5 { end = name.index(before: end) }
    let tail = name[end...]
    return name.prefix(columns: width - 2 - tail.columns) + ".." + tail
  }

  /// An activity as a number and a bar graph of ten characters.
  private static func activity(_ value: UInt8) -> String {
    // Rounded to the nearest character.
    let filled = (Int(value) * 10 + 63) / 127
    return String(format: "%3ld ", Int(value)) + String(repeating: "#", count: filled)
      + String(repeating: ".", count: 10 - filled)
  }
}
