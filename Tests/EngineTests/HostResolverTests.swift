import Dispatch
import RTPMIDI
import Realtime
import Testing
import Transports

@testable import Engine

/// Tests of ``HostResolver``, which looks up host names in the background. The test controls the answers of the name server.
@Suite struct HostResolverTests {
  private let address = SocketAddress(host: 0x7F00_0001, port: 5004)

  @Test func slowNameServerDoesNotDelayOtherHosts() {
    let (answers, bell, address) = (DispatchSemaphore(value: 0), Doorbell(), address)
    let resolver = HostResolver(queries("slow", "fast"), bell: bell) { query throws(TransportError) in
      if query.name == "slow" { answers.wait() }
      return [address]
    }
    resolver.wait(until: .now() + .milliseconds(100))
    var hosts: [HostResolver.Host] = []
    while hosts.isEmpty {
      resolver.wait(until: .now() + .milliseconds(10))
      hosts = resolver.take().hosts
    }
    #expect(hosts.map(\.name) == ["fast"] && resolver.unresolved == ["slow"])
    // The bell wakes the thread that takes the answers. It rings when an answer has arrived.
    let bellCount = bell.count
    answers.signal()
    resolver.wait(until: .now() + .seconds(300))
    #expect(bell.count != bellCount)
    #expect(resolver.unresolved == ["slow"], "its address is not in use yet")
    #expect(resolver.take().hosts.map(\.name) == ["slow"] && resolver.unresolved == [])
  }

  @Test func failureIsReportedOnce() {
    let resolver = HostResolver(queries("nowhere"), bell: Doorbell()) { query throws(TransportError) in
      throw .unknownHost(query.name, "unknown", form: query.form)
    }
    resolver.wait(until: .now() + .seconds(300))
    let line =
      "nowhere: no machine of this name was found (unknown); give its address, for example --connect 192.168.1.21:5004"
    let failures = resolver.take().failures
    #expect(failures.map(\.error.description) == [line] && failures[0].name == "nowhere")
    #expect(resolver.take().failures.isEmpty && resolver.unresolved == ["nowhere"])
    // A player who enters the name again gets the reason again.
    resolver.add(.init(name: "nowhere", form: "connect "))
    #expect(resolver.take().failures.map(\.error.description) == [line])
  }

  /// A name server that does not answer is reported before the look-up ends. The later failure of the look-up is not.
  @Test func silentNameServerIsReportedOnce() {
    let (answers, bell) = (DispatchSemaphore(value: 0), Doorbell())
    let resolver = HostResolver(queries("ben:5006"), bell: bell, patience: .milliseconds(1)) {
      query throws(TransportError) in
      answers.wait()
      throw .unknownHost(query.name, "unknown", form: query.form)
    }
    var failures: [HostResolver.Failure] = []
    let limit = DispatchTime.now() + .seconds(300)
    while failures.isEmpty, .now() < limit { failures = resolver.take().failures }
    #expect(
      failures.map(\.error.description) == [
        "ben: no machine of this name was found (no answer from the name server); "
          + "give its address, for example --connect 192.168.1.21:5006"
      ])
    answers.signal()
    resolver.wait(until: .now() + .seconds(300))
    #expect(resolver.take().failures.isEmpty)
    // The retries must not wait for the test.
    for _ in 0..<100 { answers.signal() }
  }

  private func queries(_ names: String...) -> [HostResolver.Query] { names.map { .init(name: $0, form: "--connect ") } }
}
