import Foundation
import Measurement
import MusicalTime
import Realtime
import Testing
import _TestSupport
import _TestTraits

/// Tests of outputs that cannot be written: a pipe that nobody reads, a stopped terminal, and a full disk.
@Suite(.ownThreads) struct OutputTests {
  /// A named pipe. It is open for reading, so that a writer blocks when the pipe is full.
  private final class NamedPipe {
    let path: String
    private let reader: FileHandle

    init(in folder: TemporaryFolder) throws {
      path = folder.path("pipe")
      #expect(mkfifo(path, 0o600) == 0)
      // Without O_NONBLOCK, `open` would wait for a writer.
      let descriptor = open(path, O_RDONLY | O_NONBLOCK)
      try #require(descriptor >= 0)
      _ = fcntl(descriptor, F_SETFL, 0)
      reader = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
    }

    /// Whether a write would block.
    var isFull: Bool {
      let descriptor = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC)
      guard descriptor >= 0 else { return false }
      defer { close(descriptor) }
      var writer = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
      return poll(&writer, 1, 0) == 0
    }

    /// Starts a thread that reads the pipe. The stream ends when the writer has closed the pipe.
    ///
    /// A peer that leaves waits only one second for a reader that takes nothing. The other threads of the tests can be busy for longer
    /// than a second, so the pipe is read by a separate thread.
    func startReading() -> AsyncStream<Data> {
      let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
      Thread.detachNewThread { [reader] in
        while let data = try? reader.read(upToCount: 1 << 16), !data.isEmpty { continuation.yield(data) }
        continuation.finish()
      }
      return stream
    }
  }

  /// Starts a peer whose standard output (1) or standard error (2) is `pipe`.
  private func peer(
    writing stream: Int, to pipe: NamedPipe, _ arguments: [String] = [], in folder: TemporaryFolder
  ) throws -> Child {
    // `sh -c SCRIPT NAME ARGUMENT...`: the shell replaces itself with the peer.
    try Child.tutti(
      ["peer", "--name", "ada", "--port", "0", "--discovery", "off", "--json"] + arguments,
      prefix: ["sh", "-c", "exec \"$@\" \(stream)>\(pipe.path)", "sh"], in: folder)
  }

  @Test(arguments: [(1, "note 60"), (2, "peers")])
  func peerLeavesAtOnceWhenNobodyReadsItsOutput(stream: Int, command: String) async throws {
    let folder = try TemporaryFolder()
    let pipe = try NamedPipe(in: folder)
    let ada = try peer(writing: stream, to: pipe, in: folder)
    // Each command causes a line of at least 27 octets. The pipe holds 65536.
    for _ in 0..<4000 { ada.type(command) }
    ada.type("leave")
    #expect(try await ada.status() == 0)
    // If the pipe were closed earlier, the writes would fail and not block.
    withExtendedLifetime(pipe) {}
  }

  /// The peer plays on for a second with a full pipe. It plays all ticks of this second, and then SIGTERM ends it.
  @Test func ticksContinueAndSIGTERMEndsThePeerWhenNobodyReadsItsOutput() async throws {
    let folder = try TemporaryFolder()
    let pipe = try NamedPipe(in: folder)
    let ada = try peer(
      writing: 1, to: pipe, ["--start", "--bpm", "120", "--audio", "none", "--trace", "ada.trace"], in: folder)
    for _ in 0..<4000 { ada.type("note 60") }
    try await ada.wait(for: "to fill the pipe") { pipe.isFull }
    let before = MonotonicClock.now
    try await pause(for: .seconds(1))
    let after = MonotonicClock.now
    ada.signal(SIGTERM)
    #expect(try await ada.status() == 0)
    let ticks = try Trace(contentsOf: folder.path("ada.trace")).ticks
    // At 120 BPM there are 48 ticks per second. The limit is lower, because the machine can stall.
    #expect(ticks.count { $0.acted > before && $0.acted < after } >= 24)
    #expect(ticks.map(\.tick) == ticks.indices.map { Tick(ticks[0].tick.index + Int64($0)) })
    withExtendedLifetime(pipe) {}
  }

  /// More than a mebibyte of events waits for the reader, so the peer discards some of them. The reader gets the other events, and
  /// an event with the number of discarded events.
  @Test func discardedEventsAreCounted() async throws {
    struct Line: Decodable {
      var event: String?
      var lines: Int?
    }
    let folder = try TemporaryFolder()
    let pipe = try NamedPipe(in: folder)
    let ada = try peer(writing: 1, to: pipe, in: folder)
    // The notes pass through the network thread and a ring, which cannot hold all notes at once. They are therefore typed in
    // batches.
    let (batches, batch) = (40, 1000)
    let notes = batches * batch
    for count in 1...batches {
      for index in 0..<batch { ada.type(index % 2 == 0 ? "note 60" : "release 60") }
      // This command writes a line to standard error, by which the test sees that the peer has executed the batch.
      ada.type("peers")
      try await ada.wait(for: "to execute all commands") {
        ada.errors.split(separator: "\n").count { $0.contains("no other peer") } == count
      }
    }
    let chunks = pipe.startReading()
    ada.type("leave")
    var octets = Data()
    for await chunk in chunks { octets += chunk }
    let text = String(decoding: octets, as: UTF8.self)
    let lines = text.split(separator: "\n").compactMap { try? JSONDecoder().decode(Line.self, from: Data($0.utf8)) }
    let discarded = lines.filter { $0.event == "discarded" }.compactMap(\.lines).reduce(0, +)
    #expect(discarded > 0)
    // The discarded events include other events, such as changes of the total activity. The number of these other events depends on the
    // duration, so this test checks only a lower bound. ``OutputWriterTests`` checks the exact number of discarded lines.
    #expect(lines.count { $0.event == "message" } + discarded >= notes)
    #expect(text.split(separator: "\n").last?.hasPrefix("{\"") == true && text.hasSuffix("\n"))
  }

  /// /dev/full behaves like a file on a full disk: the exit status is 74. A reader that closes its pipe, such as `head`, is no error,
  /// because the reader has read the lines that it needs. The shell ignores SIGPIPE, so that the write fails with EPIPE.
  @Test(arguments: [(">/dev/full", 74 as Int32), ("| head -n 1", 0)])
  func fullDiskIsAnErrorButAClosedPipeIsNot(redirection: String, status: Int32) async throws {
    let folder = try TemporaryFolder()
    let simulate = try Child.tutti(
      ["simulate", "--peers", "2", "--seconds", "10", "--seeds", "3", "--json"],
      prefix: ["bash", "-c", "trap '' PIPE; \"$@\" \(redirection); exit ${PIPESTATUS[0]}", "bash"], in: folder)
    #expect(try await simulate.status() == status)
    #expect(simulate.errors.hasPrefix("tutti: standard output: cannot be written") == (status != 0))
  }

  /// Starts a peer on a pseudo-terminal.
  private func terminal(in folder: TemporaryFolder, _ arguments: [String]) throws -> TerminalSession {
    try TerminalSession(
      columns: 80, in: folder, ["peer", "--name", "ada", "--port", "0", "--discovery", "off"] + arguments)
  }

  /// The peer disables the flow control of the terminal (IXON), so that Ctrl-S does not stop the output.
  @Test func controlSDoesNotStopTheTerminal() async throws {
    let folder = try TemporaryFolder()
    let session = try terminal(in: folder, [])
    var settings = termios()
    // The peer reads single keys: its settings of the terminal are in effect.
    try await session.child.wait(for: "to read keys") {
      tcgetattr(session.terminal, &settings) == 0 && settings.c_lflag & tcflag_t(ICANON) == 0
    }
    #expect(settings.c_iflag & tcflag_t(IXON) == 0)
    session.child.signal(SIGTERM)
    #expect(try await session.child.status() == 0)
    // If the session were released earlier, its terminal would be closed, and the peer would end for this reason.
    withExtendedLifetime(session) {}
  }

  /// The output of the terminal is suspended, as by Ctrl-S. The peer tries to draw its status lines for a second. SIGTERM must still end
  /// it.
  @Test func peerLeavesAtOnceWhenItsTerminalIsStopped() async throws {
    let folder = try TemporaryFolder()
    let session = try terminal(in: folder, ["--audio", "none", "--start"])
    try await session.wait(for: "master    ")
    #expect(tcflow(session.program, TCOOFF) == 0)
    try await pause(for: .seconds(1))
    session.child.signal(SIGTERM)
    #expect(try await session.child.status() == 0)
    withExtendedLifetime(session) {}
  }
}
