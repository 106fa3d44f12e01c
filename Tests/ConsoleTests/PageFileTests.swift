import CZlib
import NIOCore
import NIOHTTP1
import Testing

@_spi(Fuzzing) @testable import Console

/// Tests of the compression and the entity tags of the files of the page.
@Suite struct PageFileTests {
  private static func request(_ path: String, _ headers: [String], method: String = "GET") -> String {
    (["\(method) \(path) HTTP/1.1", "Host: localhost:\(EmbeddedServer.port)"] + headers).joined(separator: "\r\n")
      + "\r\n\r\n"
  }

  /// Decompresses a gzip file of at most 1 MiB with zlib.
  private static func expand(_ octets: [UInt8]) throws -> [UInt8] {
    var stream = z_stream()
    try #require(inflateInit2_(&stream, 15 + 16, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK)
    defer { inflateEnd(&stream) }
    var (input, output) = (octets, [UInt8](repeating: 0, count: 1 << 20))
    let result = input.withUnsafeMutableBufferPointer { input in
      output.withUnsafeMutableBufferPointer { output in
        (stream.next_in, stream.avail_in) = (input.baseAddress, UInt32(input.count))
        (stream.next_out, stream.avail_out) = (output.baseAddress, UInt32(output.count))
        return inflate(&stream, Z_FINISH)
      }
    }
    try #require(result == Z_STREAM_END && stream.avail_in == 0)
    return Array(output.prefix(Int(stream.total_out)))
  }

  @Test func everyFileIsServedCompressedAndUnchanged() throws {
    let server = try EmbeddedServer()
    // One connection, because a server accepts at most 160 of one address.
    let channel = try server.open()
    var (plain, compressed) = (0, 0)
    for path in try PageFiles().paths {
      let unchanged = try server.send(Self.request(path, []), on: channel)
      let response = try server.send(Self.request(path, ["Accept-Encoding: gzip, deflate, br"]), on: channel)
      for each in [unchanged, response] {
        #expect(each.statuses == [200] && each.header("Vary") == "Accept-Encoding", "\(path)")
        #expect(each.header("Content-Length") == "\(each.body.count)", "\(path)")
        #expect(each.header("Cache-Control") == "no-cache", "\(path)")
      }
      #expect(unchanged.header("Content-Encoding") == nil)
      #expect(response.header("Content-Type") == unchanged.header("Content-Type"))
      if response.header("Content-Encoding") == "gzip" {
        #expect(try Self.expand(response.body) == unchanged.body, "\(path)")
        #expect(response.body.count < unchanged.body.count && response.header("ETag") != unchanged.header("ETag"))
      } else {
        #expect(response.body == unchanged.body)
      }
      let head = try server.send(Self.request(path, ["Accept-Encoding: gzip"], method: "HEAD"), on: channel)
      #expect(head.header("Content-Length") == "\(response.body.count)" && head.body.isEmpty)
      #expect(head.header("ETag") == response.header("ETag"))
      plain += unchanged.body.count
      compressed += response.body.count
    }
    #expect(compressed * 5 < plain * 2, "\(compressed) of \(plain) octets")
  }

  @Test(
    arguments: [
      (["gzip"], true), (["GZIP;q=0.5"], true), (["x-gzip"], true), (["br, gzip ; q=1"], true), (["br", "gzip"], true),
      (["*"], true), (["deflate, *;q=0.1"], true), (["gzip;q=0"], false), (["gzip;q=0.000"], false),
      (["*, gzip;q=0"], false), (["*;q=0"], false), (["gzip, *;q=0"], true), (["identity"], false), (["br"], false),
      ([""], false), ([], false), (["gzip;q=x"], false), (["gzippy"], false),
    ] as [([String], Bool)])
  func acceptedCodingsDecide(values: [String], isCompressed: Bool) throws {
    let server = try EmbeddedServer()
    let response = try server.ask(Self.request("/app.js", values.map { "Accept-Encoding: \($0)" }))
    #expect((response.header("Content-Encoding") == "gzip") == isCompressed, "\(values)")
  }

  @Test func knownFormIsNotSentAgain() throws {
    let server = try EmbeddedServer()
    let tag = try #require(try server.ask(Self.request("/app.js", [])).header("ETag"))
    let compressedTag = try #require(try server.ask(Self.request("/app.js", ["Accept-Encoding: gzip"])).header("ETag"))
    for (value, isKnown) in [
      (tag, true), ("W/\(tag)", true), ("\"a\", \(tag)", true), ("\"a\" ,W/\(tag) , \"b\"", true), ("*", true),
      ("\"a\"", false), (compressedTag, false), (String(tag.dropFirst().dropLast()), false), ("", false),
    ] {
      for method in ["GET", "HEAD"] {
        let response = try server.ask(Self.request("/app.js", ["If-None-Match: \(value)"], method: method))
        #expect(response.statuses == [isKnown ? 304 : 200], "\(value)")
        #expect(response.header("ETag") == tag)
        guard isKnown else { continue }
        #expect(response.body.isEmpty && response.header("Content-Length") == nil)
        #expect(response.header("Cache-Control") == "no-cache" && response.header("Vary") == "Accept-Encoding")
      }
    }
    let compressed = try server.ask(
      Self.request("/app.js", ["Accept-Encoding: gzip", "If-None-Match: \"a\", \(compressedTag)"]))
    #expect(compressed.statuses == [304])
  }

  /// After a response without a body, the connection continues with the next request.
  @Test func connectionContinuesAfterAKnownFile() throws {
    let server = try EmbeddedServer()
    let request = Self.request("/app.js", ["If-None-Match: *"])
    #expect(try server.ask(request + request + Self.request("/icon.svg", [])).statuses == [304, 304, 200])
  }

  @Test func tagFollowsTheContent() {
    let forms = ["let a = 1", "let a = 2", "let a = 1"].map {
      PageFile(type: "text/javascript", octets: Array($0.utf8)).form(for: [:])
    }
    #expect(forms[0].tag == forms[2].tag && forms[0].tag != forms[1].tag)
    // A short file does not become shorter, so it is never compressed.
    let short = PageFile(type: "text/javascript", octets: [97]).form(for: ["Accept-Encoding": "gzip"])
    #expect(!short.isCompressed && short.octets.readableBytes == 1)
  }
}
