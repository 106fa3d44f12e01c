// What the tests of the page in a browser have in common: claims that are checked and printed, screenshots, and accessibility.

import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The folder for screenshots, the first argument of the script; undefined if no screenshots are wanted. */
export const screenshotFolder = process.argv[2]
const accessibility = readFileSync(new URL("accessibility.js", import.meta.url), "utf8")
/** The number of claims that do not hold. */
let failures = 0

/** Prints whether a claim holds. If it does not hold, also prints `detail`. */
export function expect(condition, claim, detail = "") {
  if (!condition) failures += 1
  console.log(`${condition ? "ok  " : "FAIL"} ${claim}${condition ? "" : `: ${detail}`}`)
}

/** Ends the process, with the status 1 if a claim does not hold. */
export function finish() {
  process.exit(failures > 0 ? 1 : 0)
}

export async function screenshot(page, name) {
  if (screenshotFolder) await page.screenshot(join(screenshotFolder, `${name}.png`))
}

export async function checkAccessibility(page, name) {
  const problems = await page.evaluate(accessibility)
  expect(problems.length === 0, `accessibility of ${name}`, problems.join("\n     "))
}
