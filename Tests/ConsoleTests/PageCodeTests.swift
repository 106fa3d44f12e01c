import Engine
import Testing

@_spi(Fuzzing) @testable import Console

/// Tests of `/code.svg`, the code that invites another phone.
@Suite struct PageCodeTests {
  private func ask(
    _ server: EmbeddedServer, _ query: String, token: String?, method: String = "GET"
  ) throws -> EmbeddedServer.Response {
    let authorization = token.map { "Authorization: Bearer \($0)\r\n" } ?? ""
    return try server.ask("\(method) /code.svg\(query) HTTP/1.1\r\nHost: localhost:8080\r\n\(authorization)\r\n")
  }

  /// The dark modules of a picture, each as `x,y` with the quiet zone.
  private func darkModules(of svg: String) throws -> Set<String> {
    var modules: Set<String> = []
    for run in svg.matches(of: #/M([0-9]+) ([0-9]+)h([0-9]+)v1H([0-9]+)z/#) {
      let (x, y) = (try #require(Int(run.output.1)), try #require(Int(run.output.2)))
      let length = try #require(Int(run.output.3))
      #expect(run.output.4 == run.output.1)
      for each in x..<x + length { #expect(modules.insert("\(each),\(y)").inserted) }
    }
    return modules
  }

  @Test(arguments: Access.allCases) func codeContainsTheAddress(access: Access) throws {
    let server = try EmbeddedServer(isOpen: false, address: "192.168.1.20")
    let response = try ask(server, "?access=\(access.rawValue)", token: server.tokens[.lead])
    #expect(response.statuses == [200] && response.header("Content-Type") == "image/svg+xml")
    #expect(response.header("Cache-Control") == "no-store")
    // QRCodeTests in tuttiTests read the modules of such a code with zbar.
    let code = try #require(QRCode("http://192.168.1.20:8080/#token=\(server.tokens[access])"))
    let all = (0..<code.width).flatMap { y in (0..<code.width).map { (x: $0, y: y) } }
    let dark = Set(all.filter { code.isDark($0.x, $0.y) }.map { "\($0.x + 4),\($0.y + 4)" })
    let svg = String(decoding: response.body, as: UTF8.self)
    #expect(try darkModules(of: svg) == dark)
    let size = code.width + 8
    #expect(svg.contains("viewBox=\"0 0 \(size) \(size)\""))
    #expect(svg.contains("fill=\"#fff\" d=\"M0 0h\(size)v\(size)H0z\""))
    let head = try ask(server, "?access=\(access.rawValue)", token: server.tokens[.lead], method: "HEAD")
    #expect(head.header("Content-Length") == "\(response.body.count)" && head.body.isEmpty)
  }

  @Test func tokenLimitsTheAccess() throws {
    let server = try EmbeddedServer(isOpen: false, address: "192.168.1.20")
    #expect(try ask(server, "?access=play", token: server.tokens[.play]).statuses == [200])
    #expect(try ask(server, "?access=lead", token: server.tokens[.play]).statuses == [401])
    for token in [nil, "", "wrong"] { #expect(try ask(server, "?access=play", token: token).statuses == [401]) }
  }

  @Test func openPageHasACodeWithoutAToken() throws {
    let server = try EmbeddedServer(isOpen: true, address: "192.168.1.20")
    let response = try ask(server, "?access=play", token: nil)
    let code = try #require(QRCode("http://192.168.1.20:8080/"))
    #expect(String(decoding: response.body, as: UTF8.self) == code.svg)
  }

  @Test(arguments: ["", "?", "?access=", "?access=all", "?access=play&access=lead", "?lead", "?Access=play"])
  func otherQueriesAreRefused(query: String) throws {
    let server = try EmbeddedServer(isOpen: false, address: "192.168.1.20")
    #expect(try ask(server, query, token: server.tokens[.lead]).statuses == [400])
  }

  @Test func addressOfThisMachineOnlyHasNoCode() throws {
    let server = try EmbeddedServer(isOpen: false)
    #expect(try ask(server, "?access=play", token: server.tokens[.lead]).statuses == [404])
  }
}
