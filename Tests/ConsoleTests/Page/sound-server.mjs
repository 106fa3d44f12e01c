// A separate PulseAudio server for a test. Its only microphone records what programs play on its only output.

import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { sleep } from "./chromium.mjs"

/** Whether the plugin by which ALSA programs use PulseAudio is installed. On Debian, its folder depends on the architecture. */
function hasPlugin() {
  const folders = ["/usr/lib", "/usr/lib64", ...readdirSync("/usr/lib").map((name) => join("/usr/lib", name))]
  return folders.some((folder) => existsSync(join(folder, "alsa-lib/libasound_module_pcm_pulse.so")))
}

/** Whether the programs pulseaudio and pactl and the ALSA plugin are installed. */
export function hasSoundServer() {
  if (!hasPlugin()) return false
  try {
    execFileSync("pulseaudio", ["--version"], { stdio: "ignore" })
    execFileSync("pactl", ["--version"], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

export class SoundServer {
  #folder = mkdtempSync(join(tmpdir(), "tutti-sound-"))
  #process

  static async start() {
    const server = new SoundServer()
    const socket = join(server.#folder, "socket")
    const script = join(server.#folder, "script.pa")
    writeFileSync(script, [
      `load-module module-native-protocol-unix auth-anonymous=1 socket=${socket}`,
      "load-module module-null-sink sink_name=room rate=48000",
      "set-default-sink room", "set-default-source room.monitor", "",
    ].join("\n"))
    server.#process = spawn(
      "pulseaudio", ["--daemonize=no", "-n", "-F", script, "--exit-idle-time=-1", "--realtime=no"],
      { stdio: "ignore", env: { ...process.env, HOME: server.#folder, XDG_RUNTIME_DIR: server.#folder } })
    for (let n = 0; ; n += 1) {
      try {
        execFileSync("pactl", ["list", "short", "sinks"], { env: { ...process.env, ...server.environment }, stdio: "ignore" })
        return server
      } catch (error) {
        if (n > 50) throw error
        await sleep(100)
      }
    }
  }

  /** The environment variables with which programs use this server, also through the ALSA plugin. */
  get environment() {
    return { PULSE_SERVER: `unix:${join(this.#folder, "socket")}`, PULSE_COOKIE: join(this.#folder, "cookie") }
  }

  async stop() {
    const hasEnded = new Promise((resolve) => this.#process.once("exit", resolve))
    this.#process.kill()
    await Promise.race([hasEnded, sleep(3000)])
    rmSync(this.#folder, { recursive: true, force: true })
  }
}
