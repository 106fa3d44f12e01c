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
    let resolver = HostResolver(["slow", "fast"], bell: bell) { name throws(TransportError) in
      if name == "slow" { answers.wait() }
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
    let resolver = HostResolver(["nowhere"], bell: Doorbell()) { name throws(TransportError) in
      throw TransportError("host \(name): not found", isTemporary: true)
    }
    resolver.wait(until: .now() + .seconds(300))
    let failures = resolver.take().failures
    #expect(failures.map(\.description) == ["host nowhere: not found"] && failures[0].isTemporary)
    #expect(resolver.take().failures.isEmpty && resolver.unresolved == ["nowhere"])
  }
}
