import Foundation
import Testing
import _TestSupport
import _TestTraits

@testable import tutti

/// Tests of the writer of a standard stream, with a pipe instead of the stream.
@Suite(.ownThreads) struct OutputWriterTests {
  /// The pipe is full, and nobody reads it while 40 000 lines of 32 octets are written. Exactly ``OutputWriter/capacity`` octets (1 MiB)
  /// wait, and the other lines are discarded. The reader gets the first lines in their order, and then the number of discarded lines.
  @Test(.timeLimit(.minutes(5))) func eachLineIsWrittenOrCountedAsDiscarded() async throws {
    let pipe = Pipe()
    let descriptor = pipe.fileHandleForWriting.fileDescriptor
    let filling = Self.fill(descriptor)
    let writer = OutputWriter(descriptor) { "discarded \($0)\n" }
    let lines = (0..<40_000).map { String("line \($0) of a text with 32 octets".prefix(31)) + "\n" }
    for line in lines { writer.write(line) }
    let (stream, continuation) = AsyncStream.makeStream(of: Data.self)
    Thread.detachNewThread { [reader = pipe.fileHandleForReading] in
      continuation.yield(reader.readDataToEndOfFile())
      continuation.finish()
    }
    writer.flush()
    // `flush` gives up if the reader thread takes nothing for a second, for example on a busy machine. The writer then continues.
    while !writer.isIdle { try await pause(for: .milliseconds(10)) }
    try pipe.fileHandleForWriting.close()
    var octets = Data()
    for await data in stream { octets += data }
    let read = String(decoding: octets.dropFirst(filling), as: UTF8.self)
    let kept = OutputWriter.capacity / 32
    #expect(read == lines.prefix(kept).joined() + "discarded \(lines.count - kept)\n")
  }

  /// Fills a pipe with octets. Returns their number.
  private static func fill(_ descriptor: Int32) -> Int {
    let flags = fcntl(descriptor, F_GETFL)
    _ = fcntl(descriptor, F_SETFL, flags | O_NONBLOCK)
    defer { _ = fcntl(descriptor, F_SETFL, flags) }
    var octet = UInt8(ascii: "-")
    var count = 0
    while write(descriptor, &octet, 1) == 1 { count += 1 }
    return count
  }
}
