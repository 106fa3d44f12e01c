// What the tests of the page in a browser have in common: claims that are checked and printed, screenshots, and accessibility.
//
// With the environment variable AXE=FILE, accessibility is also checked by axe-core (https://github.com/dequelabs/axe-core). FILE is its
// script `axe.min.js`, which is a part of the Python package axe-playwright-python.

import { readFileSync } from "node:fs"
import { join } from "node:path"

/** The folder for screenshots, the first argument of the script; undefined if no screenshots are wanted. */
export const screenshotFolder = process.argv[2]
const accessibility = readFileSync(new URL("accessibility.js", import.meta.url), "utf8")
const axe = process.env.AXE && readFileSync(process.env.AXE, "utf8")
/** The rules of axe: those of WCAG 2.0 to 2.2, levels A and AA, and the best practices. */
const AXE_TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]
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

/** The accessibility problems of a page, as texts. */
export async function accessibilityProblems(page) {
  const problems = await page.evaluate(accessibility)
  if (!axe) return problems
  if (!(await page.evaluate("Boolean(globalThis.axe)"))) await page.evaluate(`${axe}\n;0`)
  const found = await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(AXE_TAGS)} }).then(({ violations }) => violations.flatMap(({ id, nodes }) => (
    nodes.map(({ html, failureSummary }) => id + ": " + html.slice(0, 120) + " " + failureSummary.slice(0, 200)))))`)
  return [...problems, ...found]
}

export async function checkAccessibility(page, name) {
  const problems = await accessibilityProblems(page)
  expect(problems.length === 0, `accessibility of ${name}`, problems.join("\n     "))
}
