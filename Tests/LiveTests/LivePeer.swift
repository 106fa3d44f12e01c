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

/// A complete peer on its own thread. A test controls the peer with commands in ``mailbox``. The test observes the log of the peer and,
/// after the peer has left, its trace.
final class LivePeer: @unchecked Sendable {
  let mailbox = Mailbox()
  /// The control port.
  let port: UInt16
  private let name: String
  /// The folder of the trace. The reference keeps the folder until the object is released.
  private let folder: TemporaryFolder
  private let tracePath: String
  private let logCapture = LogCapture()
  private let eventCapture = EventCapture()
  private let thread: Thread
  private let done = DispatchSemaphore(value: 0)

  /// Starts a peer that plays a stick on each step.
  ///
  /// - Parameters:
  ///   - connect: the control ports of the peers to connect to, on this host.
  ///   - watches: whether ``events`` are kept.
  ///   - controlThreadPause: the time for which the control thread of the peer sleeps about ten times per second.
  ///   - configure: changes the configuration before the peer starts.
  init(
    _ name: String, folder: TemporaryFolder, connect: [UInt16] = [], start: Bool = false, bpm: Double = 120,
    watches: Bool = false, controlThreadPause: Nanoseconds? = nil,
    configure: (inout PeerConfiguration) -> Void = { _ in }
  ) throws {
    (self.name, self.folder) = (name, folder)
    _ = try Self.state.get()
    tracePath = folder.path("\(name).trace")
    let patch = try PatchLoader.patch(
      from: """
        name: tick
        description: A stick on each step.
        tempo: 120
        play: { always: { stick: xxxx xxxx xxxx xxxx } }
        """, file: "tick.yaml")
    var configuration = PeerConfiguration(
      name: name, tempo: try Tempo(bpm: bpm), patch: patch, patchName: "tick",
      soundFont: InstalledSoundFont.timGM6mb.path, command: "test")
    configuration.port = 0
    configuration.connect = connect.map { "127.0.0.1:\($0)" }
    configuration.start = start
    configuration.trace = tracePath
    configure(&configuration)
    let (ready, done) = (DispatchSemaphore(value: 0), done)
    let (mailbox, capture, events, result) = (mailbox, logCapture, eventCapture, StartResult())
    let settings = configuration
    thread = Thread {
      do {
        let peer = try Peer(settings, mailbox: mailbox, log: Logger(label: "test") { _ in LogCaptureHandler(capture) })
        result.port = peer.port
        ready.signal()
        // The peer calls each viewer about ten times per second on its control thread.
        let viewers = controlThreadPause.map { pause in
          [{ (_: PeerSnapshot) in MonotonicClock.sleep(until: MonotonicClock.now + pause) }]
        }
        let watchers = watches ? [{ (event: PeerEvent) in events.add(event) }] : []
        try peer.run(watchers: watchers, viewers: viewers ?? [])
      } catch {
        result.error = error
        ready.signal()
      }
      done.signal()
    }
    thread.start()
    ready.wait()
    if let error = result.error { throw error }
    port = result.port
  }

  deinit { mailbox.post(.leave) }

  /// The events so far, if the peer is watched.
  var events: [PeerEvent] { eventCapture.events }

  /// Waits until the events so far satisfy `condition`.
  func wait(for what: String, until condition: ([PeerEvent]) -> Bool) async throws {
    let end = ContinuousClock.now + Child.patience
    while !condition(events) {
      guard ContinuousClock.now < end else {
        throw EngineError("\(name) did not \(what) within \(Child.patience); its log: \(log)")
      }
      try await pause(for: .milliseconds(20))
    }
  }

  /// The log lines so far.
  var log: [String] { logCapture.lines }

  /// Waits until at least `count` log lines contain `text`.
  func waitForLog(_ text: String, times count: Int = 1) async throws {
    let end = ContinuousClock.now + Child.patience
    while log.count(where: { $0.contains(text) }) < count {
      guard ContinuousClock.now < end else {
        throw EngineError("\(name) did not log \"\(text)\" within \(Child.patience); its log: \(log)")
      }
      try await pause(for: .milliseconds(20))
    }
  }

  /// Ends the peer. Returns its trace.
  func leave() throws -> Trace {
    mailbox.post(.leave)
    guard done.wait(timeout: .now() + 10) == .success else { throw EngineError("\(name) did not leave") }
    return try Trace(contentsOf: tracePath)
  }

  /// The folder in which all peers of this process store their state. Two simultaneous peers with the same name use different
  /// files in it.
  static let state = Result { try makeState() }

  private static func makeState() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    // The variable is set only once per process, because setenv(3) is not safe while other threads call getenv(3).
    setenv("XDG_STATE_HOME", folder.url.path, 1)
    atexit { _ = try? FileManager.default.removeItem(at: LivePeer.state.get().url) }
    return folder
  }

  /// The result of the start, which the thread of the peer passes to the initializer.
  private final class StartResult: @unchecked Sendable {
    var port: UInt16 = 0
    var error: (any Error)?
  }
}

/// Expects that the ticks of `trace` are consecutive from `first` on and that their due instants increase.
func expectConsecutiveTicks(_ trace: Trace, from first: Int64 = 0) {
  #expect(trace.ticks.first?.tick == Tick(first), "\(trace.header.name)")
  for (a, b) in zip(trace.ticks, trace.ticks.dropFirst()) {
    #expect(b.tick == a.tick + 1 && b.due > a.due, "\(trace.header.name) at tick \(b.tick.index)")
  }
}
