import Foundation
import Testing
import _TestSupport
import _TestTraits

@testable import tutti

/// Tests of the writer of a standard stream, with a pipe instead of the stream.
@Suite(.ownThreads) struct OutputWriterTests {
  /// Nobody reads the pipe while the lines are written. The pipe holds 65536 octets, and ``OutputWriter/capacity`` octets wait, so
  /// about half of the lines are discarded. The reader gets the first lines in their order, and then the number of the other lines.
  @Test func eachLineIsWrittenOrCountedAsDiscarded() async throws {
    let pipe = Pipe()
    let writer = OutputWriter(pipe.fileHandleForWriting.fileDescriptor) { "discarded \($0)\n" }
    let lines = (0..<80_000).map { String("line \($0) of a text with 32 octets".prefix(31)) + "\n" }
    for line in lines { writer.write(line) }
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    Thread.detachNewThread { [reader = pipe.fileHandleForReading] in
      continuation.yield(reader.readDataToEndOfFile())
      continuation.finish()
    }
    writer.flush()
    // `flush` gives up if the reader thread does not run for a second.
    while !writer.isIdle { try await Task.sleep(for: .milliseconds(10)) }
    try pipe.fileHandleForWriting.close()
    var text = ""
    for await data in stream { text += String(decoding: data, as: UTF8.self) }
    let read = text.split(separator: "\n").map { String($0) + "\n" }
    let written = read.count - 1
    #expect(written >= OutputWriter.capacity / 32 && written < lines.count)
    #expect(read == lines.prefix(written) + ["discarded \(lines.count - written)\n"])
  }
}
