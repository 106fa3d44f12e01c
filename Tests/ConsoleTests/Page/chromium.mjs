// A browser that a test controls through the Chrome DevTools Protocol. The messages use a pipe, so that no port is open.

import { spawn } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const FLAGS = [
  "--headless=new", "--no-sandbox", "--remote-debugging-pipe", "--autoplay-policy=document-user-activation-required",
  "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage", "--lang=en",
]

/** The windows of a phone and of a narrow phone, in CSS pixels. */
export const PHONE = { width: 390, height: 844, isMobile: true }
export const NARROW = { width: 320, height: 640, isMobile: true }

export const sleep = (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds))

export class Chromium {
  #process
  #folder
  #next = 1
  /** The functions that settle the promises of sent messages, by the number of the message. */
  #waiting = new Map()
  /** The beginning of a message whose end has not arrived. */
  #received = ""
  /** The functions that get the events of each session. */
  #listeners = new Map()

  /**
   * `flags`: further options of the program. `environment`: further environment variables, such as PULSE_SERVER, or HOME, the folder with
   * the certificates that the browser trusts. `isMute`: whether the browser plays no sound.
   */
  constructor({ flags = [], environment = {}, isMute = true } = {}) {
    this.#folder = mkdtempSync(join(tmpdir(), "tutti-browser-"))
    const options = [...FLAGS, ...(isMute ? ["--mute-audio"] : []), ...flags, `--user-data-dir=${this.#folder}`]
    // With --remote-debugging-pipe, the browser reads messages from file descriptor 3 and writes messages to file descriptor 4.
    this.#process = spawn(process.env.CHROMIUM ?? "chromium", [...options, "about:blank"], {
      stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"], env: { ...process.env, ...environment },
    })
    this.#process.on("error", (error) => { throw error })
    this.#process.stdio[4].setEncoding("utf8").on("data", (data) => this.#read(data))
  }

  /** Handles the messages in `data`, each of which ends with a zero byte. A message without a number is an event of a session. */
  #read(data) {
    this.#received += data
    const messages = this.#received.split("\0")
    this.#received = messages.pop()
    for (const message of messages.map((text) => JSON.parse(text))) {
      if (message.id === undefined) {
        this.#listeners.get(message.sessionId)?.(message)
        continue
      }
      const { resolve, reject } = this.#waiting.get(message.id)
      this.#waiting.delete(message.id)
      if (message.error) reject(new Error(message.error.message))
      else resolve(message.result)
    }
  }

  /** Sends a message to the browser, or to the page of a session. Returns a promise of the result. */
  send(method, params = {}, sessionId = undefined) {
    const id = this.#next
    this.#next += 1
    this.#process.stdio[3].write(`${JSON.stringify({ id, method, params, sessionId })}\0`)
    return new Promise((resolve, reject) => this.#waiting.set(id, { resolve, reject }))
  }

  /**
   * Opens a page in a new browser profile, with its own storage. The size of the window is in CSS pixels. `scale`: pixels of the display per
   * CSS pixel.
   */
  async open(url, { width = 1280, height = 900, isMobile = false, scale = isMobile ? 2 : 1 } = {}) {
    const { browserContextId } = await this.send("Target.createBrowserContext")
    const { targetId } = await this.send("Target.createTarget", { url: "about:blank", browserContextId })
    const { sessionId } = await this.send("Target.attachToTarget", { targetId, flatten: true })
    const page = new Page(this, sessionId)
    this.#listeners.set(sessionId, (event) => page.handle(event))
    for (const domain of ["Page", "Runtime", "Log", "Accessibility"]) await page.send(`${domain}.enable`)
    await page.send("Emulation.setDeviceMetricsOverride", {
      width, height, deviceScaleFactor: scale, mobile: isMobile,
    })
    await page.send("Emulation.setFocusEmulationEnabled", { enabled: true })
    await page.send("Page.navigate", { url })
    return page
  }

  async close() {
    const hasEnded = new Promise((resolve) => this.#process.once("exit", resolve))
    await Promise.race([this.send("Browser.close").catch(() => undefined), sleep(3000)])
    this.#process.kill()
    await Promise.race([hasEnded, sleep(5000)])
    // The child processes of the browser may still write into the folder. `maxRetries` does not help, because Node.js then repeats only the
    // removal of a folder, not that of the new files in it.
    for (let attempt = 1; ; attempt += 1) {
      try { return rmSync(this.#folder, { recursive: true, force: true }) } catch (error) {
        if (attempt === 20) throw error
      }
      await sleep(100)
    }
  }
}

export class Page {
  /** The errors and warnings of the console, and uncaught exceptions. */
  problems = []
  #browser
  #session

  constructor(browser, session) {
    this.#browser = browser
    this.#session = session
  }

  /** Stores the problem that an event of the browser reports. */
  handle({ method, params }) {
    if (method === "Runtime.exceptionThrown") this.problems.push(params.exceptionDetails.exception?.description ?? "exception")
    if (method === "Runtime.consoleAPICalled" && ["error", "warning", "assert"].includes(params.type)) {
      this.problems.push(params.args.map((argument) => argument.value).join(" "))
    }
    // A peer that only this machine can reach has no code for other devices. Its answer 404 is no problem.
    const isNoCode = method === "Log.entryAdded" && params.entry.url?.includes("/code.svg")
    if (method === "Log.entryAdded" && !isNoCode && ["error", "warning"].includes(params.entry.level)) {
      this.problems.push(`${params.entry.text} ${params.entry.url ?? ""}`)
    }
  }

  send(method, params) {
    return this.#browser.send(method, params, this.#session)
  }

  /** The value of a JavaScript expression, which may be a promise. */
  async evaluate(expression) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression, awaitPromise: true, returnByValue: true,
    })
    if (exceptionDetails) throw new Error(`${expression}: ${exceptionDetails.exception?.description}`)
    return result.value
  }

  /** Waits until a JavaScript expression is true, at most `limit` milliseconds. Returns its value. */
  async wait(expression, limit = 10_000) {
    const end = Date.now() + limit
    for (;;) {
      const value = await this.evaluate(expression).catch(() => undefined)
      if (value) return value
      if (Date.now() > end) throw new Error(`took more than ${limit} ms: ${expression}`)
      await sleep(25)
    }
  }

  /** Loads the entry page again, and waits until the new document can be joined. A reload of a document that still loads can be lost. */
  async reload() {
    const isReady = "document.querySelector('#join')?.textContent"
    await this.wait(isReady)
    // The variable does not exist in the new document.
    await this.evaluate("globalThis.isOld = true")
    await this.send("Page.reload")
    await this.wait(`globalThis.isOld === undefined && ${isReady}`)
  }

  /** Clicks the middle of an element with the mouse. */
  async click(selector) {
    const { x, y } = await this.evaluate(`(() => {
      const element = document.querySelector(${JSON.stringify(selector)})
      element.scrollIntoView({block: "center"})
      const box = element.getBoundingClientRect()
      return {x: box.x + box.width / 2, y: box.y + box.height / 2}
    })()`)
    for (const type of ["mousePressed", "mouseReleased"]) {
      await this.send("Input.dispatchMouseEvent", { type, x, y, button: "left", clickCount: 1 })
    }
  }

  /** Presses and releases a key. */
  async press(key, text = key.length === 1 ? key : undefined) {
    const code = { Enter: 13, Tab: 9, " ": 32, ArrowRight: 39, ArrowLeft: 37 }[key] ?? key.toUpperCase().charCodeAt(0)
    const event = { key, windowsVirtualKeyCode: code, text: key === "Enter" ? "\r" : text }
    await this.send("Input.dispatchKeyEvent", { type: "keyDown", ...event })
    await this.send("Input.dispatchKeyEvent", { type: "keyUp", ...event, text: undefined })
  }

  /** Adds simulated motion sensors at rest. Must be called before the page listens to its sensors. */
  async addSensors() {
    const metadata = { available: true, minimumFrequency: 1, maximumFrequency: 100 }
    for (const type of ["accelerometer", "linear-acceleration", "gyroscope"]) {
      await this.send("Emulation.setSensorOverrideEnabled", { enabled: true, type, metadata })
    }
    await this.setSensors({})
  }

  /** Sets the values of the sensors: the acceleration without gravity and gravity in m/s^2, and the rate of rotation in rad/s. */
  async setSensors({ push = [0, 0, 0], gravity = [0, 0, 9.81], turn = [0, 0, 0] }) {
    const total = push.map((value, axis) => value + gravity[axis])
    const readings = [["accelerometer", total], ["linear-acceleration", push], ["gyroscope", turn]]
    await Promise.all(readings.map(([type, [x, y, z]]) => (
      this.send("Emulation.setSensorOverrideReadings", { type, reading: { xyz: { x, y, z } } }))))
  }

  /** Moves the sensors for a number of seconds and then sets them to rest. `sensors` returns their values at a time in seconds. */
  async moveSensors(seconds, sensors) {
    const begin = Date.now()
    for (;;) {
      const time = (Date.now() - begin) / 1000
      if (time > seconds) break
      await this.setSensors(sensors(time))
      await sleep(6)
    }
    await this.setSensors({})
  }

  async screenshot(path) {
    const { data } = await this.send("Page.captureScreenshot", { captureBeyondViewport: true })
    writeFileSync(path, Buffer.from(data, "base64"))
  }
}
