// A private network with an Avahi daemon for a test. No packet leaves the machine, and the daemon and the system bus of the machine are not
// used.

import { spawn, spawnSync } from "node:child_process"
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { sleep } from "./chromium.mjs"

/** The environment variable that is set inside the private network. */
const MARK = "TUTTI_TEST_NETWORK"

// The PID file of the daemon is in a fixed folder, so the network has its own /run.
const SETUP = `
  PATH=$PATH:/usr/sbin:/sbin
  mount -t tmpfs none /run && mkdir /run/avahi-daemon && ip link set lo up && ip link add tutti0 type veth peer name tutti1 \
    && ip link set tutti1 up && ip link set tutti0 up && ip addr add 10.77.0.1/24 dev tutti0 || exit 2
  exec "$@"`

export class DiscoveryNetwork {
  #folder = mkdtempSync(join(tmpdir(), "tutti-network-"))
  #children = []

  /**
   * Returns at once if the script `url` runs in a private network already. Otherwise, starts the script again in a new private network. The
   * present process then ends with the status of that script, so the function does not return. If a program or the permission is missing,
   * the process ends with a message and the status 0.
   */
  static enter(url) {
    if (process.env[MARK]) return
    for (const program of ["unshare", "dbus-daemon", "avahi-daemon", "avahi-publish"]) {
      if (spawnSync("which", [program], { env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` } }).status === 0) continue
      console.log(`skipped: ${program} is missing; install avahi-daemon, avahi-utils, dbus, iproute2 and util-linux`)
      process.exit(0)
    }
    const skip = () => {
      console.log("skipped: a network namespace cannot be created; run as root, outside a container")
      process.exit(0)
    }
    // Without the permission, `unshare` ends with the status 1, like a script with a failed test. Therefore `unshare` first runs without
    // the script.
    if (spawnSync("unshare", ["-nm", "true"], { stdio: "ignore" }).status !== 0) skip()
    const command = ["-nm", "/bin/sh", "-c", SETUP, "sh", process.execPath, fileURLToPath(url), ...process.argv.slice(2)]
    const { status } = spawnSync("unshare", command, { stdio: "inherit", env: { ...process.env, [MARK]: "1" } })
    // The status 2 comes from the script SETUP.
    if (status === 2) skip()
    process.exit(status ?? 1)
  }

  /** Starts the system bus and the Avahi daemon. Programs that this process starts from now on use this bus and this daemon. */
  static async start() {
    const network = new DiscoveryNetwork()
    const folder = network.#folder
    const bus = join(folder, "bus")
    writeFileSync(join(folder, "bus.conf"), `<busconfig><type>system</type><listen>unix:path=${bus}</listen><auth>EXTERNAL</auth>
      <policy context="default"><allow user="*"/><allow own="*"/><allow send_destination="*"/><allow receive_sender="*"/></policy>
      </busconfig>`)
    writeFileSync(join(folder, "avahi.conf"), [
      "[server]", "host-name=tutti-test", "allow-interfaces=tutti0", "enable-dbus=yes", "[wide-area]", "enable-wide-area=no", "[publish]",
      "publish-workstation=no", "",
    ].join("\n"))
    process.env.DBUS_SYSTEM_BUS_ADDRESS = `unix:path=${bus}`
    network.#run("dbus-daemon", [`--config-file=${join(folder, "bus.conf")}`, "--nofork", "--nopidfile"])
    for (let n = 0; n < 200 && !existsSync(bus); n += 1) await sleep(50)
    const daemon = network.#run("/usr/sbin/avahi-daemon", [
      "--no-drop-root", "--no-rlimits", "--no-chroot", "--file", join(folder, "avahi.conf"),
    ])
    await network.#wait(daemon, "Server startup complete")
    return network
  }

  /** Starts a program and collects its output. */
  #run(program, args) {
    const child = spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] })
    child.output = ""
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (data) => { child.output += data })
    this.#children.push(child)
    return child
  }

  /** Waits until a program has written `text`, at most 20 s. */
  async #wait(child, text) {
    for (let n = 0; n < 400; n += 1) {
      if (child.output.includes(text)) return
      await sleep(50)
    }
    throw new Error(`${child.spawnfile}: has not written "${text}"; ${child.output}`)
  }

  /** Announces the session of a standard device. Returns a function that withdraws the announcement. */
  async publish(name, port) {
    const child = this.#run("avahi-publish", ["-s", name, "_apple-midi._udp", String(port)])
    await this.#wait(child, "Established under name")
    return () => child.kill()
  }

  stop() {
    for (const child of this.#children.reverse()) child.kill()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
