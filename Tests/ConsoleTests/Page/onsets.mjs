// Finds the onsets in the audio output of a page.

/**
 * Replaces the drums of a page by clicks. For each onset in the output, the page appends a moment to its variable `onsets`: the moment of
 * performance.now() at which the click is heard, by the OutputClock of the page. The content security policy of the page must be off
 * (Page.setBypassCSP), because the AudioWorklet comes from a data URL.
 */
export async function reportOnsets(page) {
  await page.evaluate(`(async () => {
    const { context, output, samples } = tutti.audio
    const source = "registerProcessor('onsets', class extends AudioWorkletProcessor { process([[input]]) {"
      + "input?.forEach((sample, n) => { if (sample <= 0.0001) return; const frame = currentFrame + n;"
      // The filter of the instrument rings after a click. A new onset therefore needs 500 frames without a sample above the limit.
      + "if (!(frame - this.last < 500)) this.port.postMessage(frame); this.last = frame }); return true } })"
    await context.audioWorklet.addModule("data:text/javascript," + encodeURIComponent(source))
    const node = new AudioWorkletNode(context, "onsets")
    output.connect(node)
    const click = new AudioBuffer({ length: 64, sampleRate: context.sampleRate })
    click.getChannelData(0)[0] = 1
    samples.drum = () => ({ buffer: click, gain: 1, rate: 1 })
    globalThis.onsets = []
    node.port.onmessage = ({ data }) => {
      const now = performance.now()
      onsets.push(now + (data / context.sampleRate - tutti.audio.outputClock.time(now)) * 1000)
    }
  })()`)
}
