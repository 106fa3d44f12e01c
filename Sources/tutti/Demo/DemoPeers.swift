import Engine
import Foundation
import MusicalTime
import Transports

/// The peers of the demo. Each peer is a process on loopback.
final class DemoPeers {
  /// The name of a peer and the paths of its files.
  struct Files {
    var name: String
    var recording: String
    var trace: String
    var log: String
  }

  /// The name of the peer `number`, counted from 1.
  static func name(_ number: Int) -> String { "peer \(number)" }

  let files: [Files]
  private let processes: [Process]
  /// The activity of the first peer over time; nil if the activity stays the same.
  private let ramp: ActivityRamp?
  /// Standard input of the first peer.
  private let input = Pipe()
  /// The last activity that was sent to the first peer.
  private var activity: UInt8 = 0

  /// Starts all peers. Each peer invites the peers with higher numbers. The first peer starts the rhythm.
  ///
  /// - Parameters:
  ///   - ticks: the length of the rhythm in ticks.
  ///   - score: the score that plays instead of the rhythm; nil: none.
  ///   - hasSoundCard: whether the first peer also plays through the default sound card.
  ///   - page: the web page; all peers connect to the peer that serves it. Nil for no page.
  init(_ demo: DemoCommand, tempo: Tempo, ticks: Int64, score: DemoScore?, hasSoundCard: Bool, page: DemoPage?) throws {
    ramp = demo.activity == nil ? ActivityRamp(ticks: ticks) : nil
    let ports = try Self.freePorts(demo.peers)
    files = (1...demo.peers).map { n in
      let stem = "\(demo.output)/peer-\(n)"
      return Files(name: Self.name(n), recording: stem + ".wav", trace: stem + ".trace", log: stem + ".log")
    }
    // The length of the rhythm in time: the instant of its end, if it starts at instant 0.
    let rhythmEnd = Timeline(tempo: tempo, tick: Tick(0), at: Instant(nanoseconds: 0)).deadline(Tick(ticks))
    // A score ends by itself. The additional second is a limit only.
    let duration = score.map { Instant(nanoseconds: 0) + $0.duration + .seconds(1) } ?? rhythmEnd
    // The demo reads the position from the trace while it plays, and would read that of an earlier demo. A peer would keep the files of an
    // earlier demo under other names.
    for file in files.flatMap({ [$0.recording, $0.trace] }) { unlink(file) }
    var started: [Process] = []
    do {
      for (n, files) in files.enumerated() {
        var arguments = [
          "--name", files.name, "--port", "\(ports[n])", "--patch", demo.patch, "--soundfont", demo.soundFont,
          // The other peers have the activity 0, so only the first peer and the players on the page add to the total activity.
          "--activity", n == 0 ? "\(demo.activity ?? 0)" : "0",
          "--audio", "wav:\(files.recording)", "--trace", files.trace,
        ]
        for port in ports[(n + 1)...] { arguments += ["--connect", "127.0.0.1:\(port)"] }
        if let page { arguments += page.connection }
        if n == 0 {
          let seconds = String(format: "%.9f", Double(duration.nanoseconds) / 1e9)
          if let score { arguments += ["--score", score.name] }
          arguments += ["--start", "--bpm", "\(demo.bpm)", "--duration", seconds]
          if hasSoundCard { arguments += ["--audio", "alsa"] }
        }
        started.append(
          try DemoProcess.start(arguments, log: files.log, input: n == 0 ? input : FileHandle.nullDevice))
      }
    } catch {
      DemoProcess.end(started)
      throw error
    }
    processes = started
  }

  /// Changes the activity of the first peer until the rhythm ends, a process fails or the user presses Ctrl-C. Then ends all processes.
  ///
  /// - Parameters:
  ///   - isInterrupted: whether the user has pressed Ctrl-C.
  ///   - onProgress: called every 20 ms with the position of the rhythm, nil before it begins.
  func play(until isInterrupted: () -> Bool, onProgress: (DemoPosition?) -> Void) {
    // The first process ends when the rhythm ends. Any other process ends only if it fails.
    while processes[0].isRunning, processes.allSatisfy(\.isRunning) {
      if isInterrupted() {
        stop()
        break
      }
      let position = DemoPosition(trace: files[0].trace)
      if let ramp, let position { setActivity(ramp.value(at: position.tick)) }
      onProgress(position)
      Thread.sleep(forTimeInterval: 0.02)
    }
    DemoProcess.end(processes)
  }

  /// Lets the master stop the rhythm, and waits until it has ended at all peers: the figures of a demo that ends early are then those of a
  /// shorter demo. A stop takes effect after the lead time, 0.1 s.
  private func stop() {
    try? input.fileHandleForWriting.write(contentsOf: Data("stop\n".utf8))
    Thread.sleep(forTimeInterval: 0.5)
  }

  /// One error message for each peer that failed: the last line of its log.
  var failures: [String] {
    zip(processes, files).compactMap { DemoProcess.failure(of: $0, named: $1.name, log: $1.log) }
  }

  /// Sends a command that sets the activity of the first peer, unless it has this activity already.
  private func setActivity(_ activity: UInt8) {
    guard activity != self.activity else { return }
    self.activity = activity
    // The process may have ended in the meantime. SIGPIPE is ignored, so the write then throws an error. The error is ignored too.
    try? input.fileHandleForWriting.write(contentsOf: Data("activity \(activity)\n".utf8))
  }

  /// Returns the control ports of `count` free pairs of ports. Each pair stays open until all pairs are found, so that no pair is
  /// found twice.
  ///
  /// All ports are below 32768. A program that asks for any free port gets a port from 32768 on: this is the default of Linux (ip(7),
  /// ip_local_port_range). Therefore no such program can get one of the pairs before the peers open them.
  private static func freePorts(_ count: Int) throws -> [UInt16] {
    var pairs: [PortPair] = []
    defer { for pair in pairs { pair.close() } }
    for port: UInt16 in stride(from: 10_000, to: 32_768, by: 2).shuffled() where pairs.count < count {
      if let pair = try? PortPair(port: port) { pairs.append(pair) }
    }
    guard pairs.count == count else {
      throw EngineError(
        "UDP ports: fewer than \(count) free pairs from 10000 to 32767; close programs that use UDP ports")
    }
    return pairs.map(\.control.port)
  }
}
