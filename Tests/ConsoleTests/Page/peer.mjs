// Starts a peer with a web page, for tests.

import { spawn } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const ROOT = fileURLToPath(new URL("../../../", import.meta.url))
export const PROGRAM = process.env.TUTTI ?? join(ROOT, ".build/release/tutti")

export class Peer {
  /** The address of the page for the access `lead`. */
  lead = undefined
  /** The address of the page for the access `play`. */
  play = undefined
  /** The port for sessions with other peers. */
  port = undefined
  /** The name of the peer. */
  name = undefined
  #process
  #folder = mkdtempSync(join(tmpdir(), "tutti-peer-"))

  /** The events that the peer has printed. */
  events = []

  /**
   * Starts a peer, and waits until it serves its page.
   *
   * @param http the value of the option --http: the address and port of the page; "0" for any free port.
   * @param environment variables for the peer, such as PULSE_SERVER. The peer then plays sound, so `args` must contain the option --audio.
   * @param launcher a program and its arguments. The program starts the peer, for example in a namespace.
   */
  static async start(name, args = [], http = "0", environment = undefined, launcher = []) {
    const peer = new Peer()
    peer.name = name
    const discovery = args.includes("--discovery") ? [] : ["--discovery", "off"]
    const [program, ...options] = [
      ...launcher, PROGRAM, "peer", "--name", name, "--port", "0", ...discovery, ...(environment ? [] : ["--audio", "none"]), "--json",
      "--http", http, ...args,
    ]
    peer.#process = spawn(
      program, options,
      {
        stdio: ["pipe", "pipe", "pipe"],
        env: { ...process.env, XDG_STATE_HOME: peer.#folder, TUTTI_PATCHES: join(ROOT, "Patches"), ...environment },
      })
    let output = ""
    let errors = ""
    peer.#process.stderr.on("data", (data) => { errors += data })
    await new Promise((resolve, reject) => {
      peer.#process.on("exit", () => reject(new Error(`${name}: ended; ${errors}`)))
      peer.#process.stdout.on("data", (data) => {
        output += data
        const lines = output.split("\n")
        output = lines.pop()
        for (const line of lines) {
          const event = JSON.parse(line)
          peer.events.push(event)
          if (event.event === "ready") peer.port = event.port
          if (event.event === "page") {
            [peer.lead, peer.play] = [event.lead, event.play]
            resolve()
          }
        }
      })
    })
    peer.#process.removeAllListeners("exit")
    return peer
  }

  /** The process ID of the peer; with a launcher, the process ID of the launcher. */
  get process() {
    return this.#process.pid
  }

  /** Enters a command of `tutti peer`, such as `activity 10`. */
  enter(command) {
    this.#process.stdin.write(`${command}\n`)
  }

  /** Kills the process of the peer, so that the peer cannot end its sessions. */
  async kill() {
    if (this.#process.exitCode === null && this.#process.signalCode === null) {
      const hasEnded = new Promise((resolve) => this.#process.once("exit", resolve))
      this.#process.kill("SIGKILL")
      await hasEnded
    }
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
