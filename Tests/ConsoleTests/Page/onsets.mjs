// Finds the onsets in the audio output of a page.

/**
 * Replaces the sounds of a page by clicks. An AudioWorklet finds the clicks in the output of the page. For each click, the page appends an
 * entry with three moments, in milliseconds of performance.now(), to its variable `onsets`. `heard`: when the click is heard, by the
 * OutputClock of the page. `rendered`: when the click was rendered. `noticed`: when the page got the message of the worklet.
 *
 * The content security policy of the page must be off (Page.setBypassCSP), because the worklet comes from a data URL.
 *
 * @param sounds an array of "drum", "tone" or both: the sounds that become clicks. The other sounds are silenced.
 * @param limit a sample above this value belongs to a click. A sound can start between two samples, which makes a click of a single sample
 *   softer.
 * @param pause a new onset needs this number of frames without a sample above the limit, because the filter of the instrument rings after a
 *   click.
 * @param width the length of a click in samples.
 */
export async function hearClicks(page, sounds, { limit = 0.001, pause = 500, width = 1 } = {}) {
  const source = `registerProcessor("onsets", class extends AudioWorkletProcessor {
    process([[input]]) {
      input?.forEach((sample, n) => {
        if (sample <= ${limit}) return
        const frame = currentFrame + n
        if (!(frame - this.last < ${pause})) this.port.postMessage(frame)
        this.last = frame
      })
      return true
    }
  })`
  await page.evaluate(`(async () => {
    const { context, output, outputClock, samples } = tutti.audio
    await context.audioWorklet.addModule(${JSON.stringify(`data:text/javascript,${encodeURIComponent(source)}`)})
    const node = new AudioWorkletNode(context, "onsets")
    output.connect(node)
    const click = new AudioBuffer({ length: 64, sampleRate: context.sampleRate })
    click.getChannelData(0).fill(1, 0, ${width})
    for (const sound of ["drum", "tone"]) {
      const isHeard = ${JSON.stringify(sounds)}.includes(sound)
      samples[sound] = () => (isHeard ? { buffer: click, gain: 1, rate: 1 } : undefined)
    }
    globalThis.onsets = []
    node.port.onmessage = ({ data }) => {
      const now = performance.now()
      const heard = now + (data / context.sampleRate - outputClock.time(now)) * 1000
      onsets.push({ heard, rendered: heard - outputClock.latency, noticed: now })
    }
  })()`)
}
