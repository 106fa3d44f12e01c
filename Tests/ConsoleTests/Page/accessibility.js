// Finds accessibility problems of the visible page, with some of the rules of the tool axe. A test evaluates this script in the page. The
// result is an array of texts, one for each problem.
(() => {
  const problems = []
  const isVisible = (element) => element.checkVisibility({ visibilityProperty: true })
  const describe = (element) => element.outerHTML.slice(0, 120)
  /** The text of the elements that `aria-labelledby` names. */
  const labelled = (element) => (element.getAttribute("aria-labelledby") ?? "").split(/\s+/).filter(Boolean)
    .map((id) => document.getElementById(id)?.textContent ?? "").join(" ")
  /** The accessible name of an element. */
  const nameOf = (element) => (
    element.getAttribute("aria-label") || labelled(element) || [...(element.labels ?? [])].map((label) => label.textContent).join(" ")
    || (element.matches("button, [role=tab], a") ? element.textContent : "")).trim()

  // Names of controls (WCAG 4.1.2).
  for (const element of document.querySelectorAll("button, input, select, meter:not([aria-hidden]), [role=tab], [role=region]")) {
    if (isVisible(element) && !nameOf(element)) problems.push(`no name: ${describe(element)}`)
  }
  // References to other elements must exist.
  for (const attribute of ["aria-labelledby", "aria-describedby", "aria-controls", "for"]) {
    for (const element of document.querySelectorAll(`[${attribute}]`)) {
      for (const id of element.getAttribute(attribute).split(/\s+/)) {
        if (!document.getElementById(id)) problems.push(`${attribute} ${id} is missing: ${describe(element)}`)
      }
    }
  }
  const ids = [...document.querySelectorAll("[id]")].map(({ id }) => id)
  for (const id of ids.filter((id, index) => ids.indexOf(id) !== index)) problems.push(`duplicate id: ${id}`)
  if (!document.documentElement.lang) problems.push("the page has no language")
  // The levels of the headings (WCAG 1.3.1).
  const levels = [...document.querySelectorAll("h1, h2, h3")].filter(isVisible).map(({ tagName }) => Number(tagName[1]))
  levels.forEach((level, index) => {
    if (index > 0 && level > levels[index - 1] + 1) problems.push(`a heading skips a level: ${level}`)
  })
  // The size of targets (WCAG 2.5.8): 24 pixels.
  for (const element of document.querySelectorAll("button, select, input, [role=tab]")) {
    const box = (element.closest("label") ?? element).getBoundingClientRect()
    if (isVisible(element) && (box.width < 24 || box.height < 24)) problems.push(`small target: ${describe(element)}`)
  }
  // The contrast of texts (WCAG 1.4.3): 4.5. Disabled controls are exempt.
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
  /** The red, green, blue and alpha values, 0...255, of a CSS color. */
  const rgba = (color) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = color
    canvas.fillRect(0, 0, 1, 1)
    return canvas.getImageData(0, 0, 1, 1).data
  }
  /** The relative luminance as WCAG defines it, 0...1. */
  const luminance = ([r, g, b]) => {
    const [red, green, blue] = [r, g, b].map((value) => {
      const share = value / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
  }
  /** The color of the nearest opaque background of an element or of its ancestors. */
  const background = (element) => {
    for (let current = element; current; current = current.parentElement) {
      const color = rgba(getComputedStyle(current).backgroundColor)
      if (color[3] === 255) return color
    }
    return rgba("canvas")
  }
  for (const element of document.querySelectorAll("body *")) {
    // Nodes of type 3 are texts. The class `hidden` is for texts that only screen readers get.
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim())
    if (!hasText || !isVisible(element) || element.closest(":disabled, .hidden, noscript, option")) continue
    const [a, b] = [luminance(rgba(getComputedStyle(element).color)), luminance(background(element))]
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
    if (contrast < 4.5) problems.push(`contrast ${contrast.toFixed(2)}: ${describe(element)}`)
  }
  // Nothing is wider than the screen (WCAG 1.4.10).
  if (document.documentElement.scrollWidth > innerWidth) problems.push(`the page is ${document.documentElement.scrollWidth} px wide`)
  return problems
})()
