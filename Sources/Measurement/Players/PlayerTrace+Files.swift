import Foundation
import MIDI
import MusicalTime

// Players in files that are not traces. They have no rhythm, so ``PlayersAnalysis`` compares the players with each other only.
extension PlayerTrace {
  /// The players in a Standard MIDI File: each channel of each track that contains notes. Notes of a player that begin at the same tick,
  /// such as a chord, are one action. An instant is the time of the note by the tempo map of the file.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - name: the name of the file. It is part of the name of a player in a track without a name.
  /// - Throws: ``ReportError`` for bytes that are not a Standard MIDI File, for independent tracks (format 2), and for a file without notes.
  ///
  /// Real-time: not safe.
  public static func players(inMIDIFile bytes: [UInt8], name: String) throws(ReportError) -> [PlayerTrace] {
    let file: StandardMIDIFile
    do throws(StandardMIDIFile.ReadError) { file = try StandardMIDIFile(bytes: bytes) } catch {
      throw ReportError(
        subject: name, reason: "\(error)", remedy: "give a complete Standard MIDI File of at most 32 MiB")
    }
    guard file.format != .independentTracks else {
      throw ReportError(
        subject: name, reason: "contains independent tracks (format 2)", remedy: "give a file of format 0 or 1")
    }
    var tempos: [TempoMap.Tempo] = []
    for event in file.tracks.lazy.flatMap(\.events) {
      if case .meta(let meta) = event.content, let quarter = meta.microsecondsPerQuarter {
        tempos.append((event.tick, quarter))
      }
    }
    let map = TempoMap(file.division, tempos)
    var players: [PlayerTrace] = []
    for (index, track) in file.tracks.enumerated() {
      var notes: [UInt8: [(tick: Int64, force: UInt8)]] = [:]
      for event in track.events {
        guard case .message(.noteOn(let channel, _, let velocity)) = event.content, velocity.value > 0,
          notes[channel.wire]?.last?.tick != event.tick
        else { continue }
        notes[channel.wire, default: []].append((event.tick, velocity.value))
      }
      let title = track.name.flatMap { $0.isEmpty ? nil : $0.withoutControlCharacters } ?? "\(name): track \(index + 1)"
      for (channel, notes) in notes.sorted(by: { $0.key < $1.key }) {
        players.append(
          PlayerTrace(
            name: track.isOnOneChannel ? title : "\(title), channel \(channel + 1)",
            actions: notes.map {
              TraceAction(at: Instant(nanoseconds: map.nanoseconds(at: $0.tick)), force: $0.force)
            }))
      }
    }
    guard !players.isEmpty else {
      throw ReportError(subject: name, reason: "contains no notes", remedy: "give a file in which players play notes")
    }
    return players
  }

  /// The player in a recording: its actions are the beginnings of the sounds that ``OnsetDetector`` finds. The force of all actions is 127.
  ///
  /// - Throws: ``ReportError`` for a recording without such a beginning.
  ///
  /// Real-time: not safe.
  public init(_ recording: Recording) throws(ReportError) {
    let analysed = AnalysedRecording(recording, clockOffset: .zero)
    guard !analysed.onsets.isEmpty else {
      throw ReportError(
        subject: recording.name, reason: analysed.isSilent ? "silent" : "no beginning of a sound was found",
        remedy: "give a recording of one player with percussive sounds, at a level near full scale")
    }
    self.init(name: recording.name, actions: analysed.onsets.map { TraceAction(at: $0, force: 127) })
  }

  /// A player without a rhythm.
  init(name: String, actions: [TraceAction]) {
    self.init(header: nil, name: name, ticks: DueTicks(), actions: actions)
  }

  /// Whether the trace contains the rhythm of a peer.
  ///
  /// Real-time: not safe.
  public var hasRhythm: Bool { !ticks.runs.isEmpty }
}

extension StandardMIDIFile.Track {
  /// Whether all notes have the same channel.
  fileprivate var isOnOneChannel: Bool {
    var first: Channel?
    for case .message(.noteOn(let channel, _, _)) in events.lazy.map(\.content) {
      guard first == nil || first == channel else { return false }
      first = channel
    }
    return true
  }
}

extension String {
  /// The text without control characters, which a terminal would execute. Each is replaced by a question mark.
  fileprivate var withoutControlCharacters: String {
    String(String.UnicodeScalarView(unicodeScalars.map { $0.properties.generalCategory == .control ? "?" : $0 }))
  }
}
