import Audio
import Foundation
import Logging
import Measurement
import MusicalTime
import Realtime
import Rhythm
import Testing
import _TestSupport

@testable import Engine

/// A whole peer on a thread of its own; `trace` tells afterwards what it played, `said` what it told its player.
final class Player: @unchecked Sendable {
  let mailbox = Mailbox()
  let port: UInt16
  private let name: String
  /// It stays while the player lives.
  private let folder: TemporaryFolder
  private let tracePath: String
  private let talk = Talk()
  private let thread: Thread
  private let done = DispatchSemaphore(value: 0)

  /// - Parameter heldUp: for so long, about ten times a second, its control thread does nothing.
  init(
    _ name: String, folder: TemporaryFolder, connect: [UInt16] = [], start: Bool = false, bpm: Double = 120,
    heldUp: Nanoseconds? = nil, configure: (inout PeerConfiguration) -> Void = { _ in }
  ) throws {
    (self.name, self.folder) = (name, folder)
    _ = try Self.state.get()
    tracePath = folder.path("\(name).trace")
    let patch = try PatchLoader.patch(
      from: """
        name: tick
        description: A stick on each step.
        meter: 4/4
        bars: 1
        tempo: 120
        kit: { stick: { note: 37 } }
        layers: [ { name: all, activity: [0], steps: { stick: xxxx xxxx xxxx xxxx } } ]
        """, file: "tick.yaml")
    var configuration = PeerConfiguration(
      name: name, tempo: try Tempo(bpm: bpm), patch: patch, patchName: "tick",
      soundFont: DrumLanes.defaultSoundFont, command: "test")
    configuration.port = 0
    configuration.connect = connect.map { "127.0.0.1:\($0)" }
    configuration.start = start
    configuration.trace = tracePath
    configure(&configuration)
    let (ready, done) = (DispatchSemaphore(value: 0), done)
    let (mailbox, talk, made) = (mailbox, talk, Made())
    let settings = configuration
    thread = Thread {
      do {
        let peer = try Peer(settings, mailbox: mailbox, log: Logger(label: "test") { _ in TalkLog(talk) })
        made.port = peer.port
        ready.signal()
        try peer.run(status: heldUp.map { pause in { _ in MonotonicClock.sleep(until: MonotonicClock.now + pause) } })
      } catch {
        made.error = error
        ready.signal()
      }
      done.signal()
    }
    thread.start()
    ready.wait()
    if let error = made.error { throw error }
    port = made.port
  }

  deinit { mailbox.post(.leave) }

  /// What it has told its player so far.
  var said: [String] { talk.lines }

  /// Waits until it has said something that holds `words`, `times` times.
  func says(_ words: String, times: Int = 1, within limit: Duration = .seconds(10)) async throws {
    let end = ContinuousClock.now + limit
    while said.count(where: { $0.contains(words) }) < times {
      guard ContinuousClock.now < end else {
        throw EngineError("\(name) did not say \"\(words)\" within \(limit), but: \(said)")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  func leave() throws -> Trace {
    mailbox.post(.leave)
    guard done.wait(timeout: .now() + 10) == .success else { throw EngineError("\(name) did not leave") }
    return try Trace(contentsOf: tracePath)
  }

  /// The folder in which the peers of this process keep their state. Two peers of one name at once take different files
  /// in it.
  static let state = Result { try makeState() }

  private static func makeState() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    // Once for the process, because setenv(3) is not safe beside getenv(3) of other threads.
    setenv("XDG_STATE_HOME", folder.url.path, 1)
    atexit { _ = try? FileManager.default.removeItem(at: Player.state.get().url) }
    return folder
  }

  private final class Made: @unchecked Sendable {
    var port: UInt16 = 0
    var error: (any Error)?
  }
}

/// Every tick of a trace follows the one before, from `first` on.
func expectEveryTick(_ trace: Trace, from first: Int64 = 0) {
  #expect(trace.ticks.first?.tick == Tick(first), "\(trace.header.name)")
  for (a, b) in zip(trace.ticks, trace.ticks.dropFirst()) {
    #expect(b.tick == a.tick + 1 && b.due > a.due, "\(trace.header.name) at tick \(b.tick.index)")
  }
}
