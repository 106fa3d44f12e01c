import Foundation
import _TestSupport

/// A private network for tests: a system bus, and an Avahi daemon in a network namespace with two interfaces that are
/// connected only to each other. No packet leaves the machine, and the machine's own bus and daemon are not used.
///
/// The D-Bus library reads the address of the bus from the environment once per process. All networks of a process therefore have the
/// same address, and only one network can exist at a time.
final class TestNetwork {
  /// The folder of all networks of this process. The socket of the bus is in this folder.
  private static let shared = Result { try TemporaryFolder() }

  let folder: TemporaryFolder
  private let busPath: String
  private var bus: Child?
  private var daemon: Child?
  /// The processes that publish services. The references keep the processes running.
  private var publishers: [Child] = []

  /// Creates the network without starting a program.
  ///
  /// - Throws: `Unavailable` if a program is missing.
  init() throws {
    folder = try Self.shared.get()
    busPath = folder.path("bus")
    setenv("DBUS_SYSTEM_BUS_ADDRESS", "unix:path=\(busPath)", 1)
    _ = try Program.find("unshare", package: "util-linux")
    _ = try Program.find("ip", package: "iproute2")
    _ = try Program.find("avahi-daemon", package: "avahi-daemon")
  }

  func startBus() async throws {
    let configuration = """
      <busconfig>
        <type>system</type>
        <listen>unix:path=\(busPath)</listen>
        <auth>EXTERNAL</auth> <auth>ANONYMOUS</auth> <allow_anonymous/>
        <policy context="default">
          <allow user="*"/> <allow own="*"/> <allow send_destination="*"/> <allow receive_sender="*"/>
        </policy>
      </busconfig>
      """
    try configuration.write(toFile: folder.path("bus.conf"), atomically: true, encoding: .utf8)
    // A failed test may have left its socket.
    try? FileManager.default.removeItem(atPath: busPath)
    let program = try Program.find("dbus-daemon", package: "dbus")
    let child = try Child(
      program, ["--config-file=\(folder.path("bus.conf"))", "--nofork", "--nopidfile"], name: "dbus-daemon", in: folder)
    try await child.wait(for: "to listen") { FileManager.default.fileExists(atPath: busPath) }
    bus = child
  }

  func stopBus() async throws {
    try await end(bus)
    bus = nil
    try? FileManager.default.removeItem(atPath: busPath)
  }

  /// Creates the network namespace and starts the daemon in it.
  ///
  /// - Throws: `Unavailable` if a network namespace cannot be created, or if the daemon ends at once.
  func startDaemon(ipv4: Bool = true, ipv6: Bool = true) async throws {
    let configuration = """
      [server]
      host-name=tutti-test
      use-ipv4=\(ipv4 ? "yes" : "no")
      use-ipv6=\(ipv6 ? "yes" : "no")
      allow-interfaces=tutti0
      enable-dbus=yes
      [wide-area]
      enable-wide-area=no
      [publish]
      publish-workstation=no
      """
    try configuration.write(toFile: folder.path("avahi.conf"), atomically: true, encoding: .utf8)
    // The daemon's PID file is in a fixed folder, so the namespace mounts its own /run. The shell keeps running beside the
    // daemon. Without the shell, Foundation would consider the child ended as soon as the daemon closes its inherited
    // descriptors, and would then block until the daemon exits. SIGTERM interrupts the first `wait` of the shell, so a second
    // `wait` waits for the daemon.
    let namespace = """
      set -e
      PATH=$PATH:/usr/sbin:/sbin
      mount -t tmpfs none /run
      mkdir /run/avahi-daemon
      ip link add tutti0 type veth peer name tutti1
      ip link set tutti1 up
      ip link set tutti0 up
      ip addr add 10.77.0.1/24 dev tutti0
      ip addr add fd77::1/64 dev tutti0 nodad || true
      echo made
      setpriv --pdeathsig KILL \
        avahi-daemon --no-drop-root --no-rlimits --no-chroot --file '\(folder.path("avahi.conf"))' &
      trap "kill $!" TERM
      wait || wait
      """
    let child = try Child(
      Program.find("unshare", package: "util-linux"), ["-nm", "/bin/sh", "-c", namespace],
      name: "avahi-daemon", in: folder)
    try await child.wait(for: "to begin") {
      child.errors.contains("Server startup complete") || !child.isRunning
    }
    guard child.output.contains("made") else {
      throw Unavailable("network namespace: cannot be created (\(child.lastError)); run as root, outside a container")
    }
    guard child.isRunning else { throw Unavailable("avahi-daemon: is not running (\(child.lastError)); run as root") }
    daemon = child
  }

  func stopDaemon() async throws {
    try await end(daemon)
    daemon = nil
  }

  /// Announces the session of a standard device. The announcement lasts until ``withdraw(_:)`` or the end of the network.
  ///
  /// - Returns: the process that announces the session.
  func publish(_ name: String, port: UInt16) throws -> Child {
    let program = try Program.find("avahi-publish", package: "avahi-utils")
    let child = try Child(
      program, ["-s", name, "_apple-midi._udp", "\(port)"], name: "avahi-publish \(name)", in: folder)
    publishers.append(child)
    return child
  }

  func withdraw(_ child: Child) async throws { try await end(child) }

  /// Returns the services found by `avahi-browse`: family, name, port and TXT record of each.
  func browse() async throws -> Set<String> {
    let program = try Program.find("avahi-browse", package: "avahi-utils")
    let child = try Child(program, ["-rpt", "_apple-midi._udp"], name: "avahi-browse", in: folder)
    guard try await child.status() == 0 else { throw Unavailable(child.errors) }
    // An example of a line:
    // =;eth0;IPv4;Ada;_apple-midi._udp;local;ada.local;10.0.0.1;5004;"tutti=..."
    let lines = child.output.split(separator: "\n").map { $0.split(separator: ";", omittingEmptySubsequences: false) }
    return Set(lines.filter { $0.first == "=" && $0.count >= 10 }.map { "\($0[2]) \($0[3]) \($0[8]) \($0[9])" })
  }

  /// Ends a process and waits until it has ended.
  private func end(_ child: Child?) async throws {
    guard let child, child.isRunning else { return }
    child.signal(SIGTERM)
    _ = try await child.status()
  }
}
