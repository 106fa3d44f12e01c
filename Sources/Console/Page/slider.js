// A fat slider: the whole bar is the handle. It is a native slider that covers its drawing, so the arrow keys and screen readers work.

import { create } from "./elements.js"

/** Puts a slider on its drawing. `caption` is written at the left end, for example the name of a part. `data-unit` follows the value. */
export function fatSlider(slider, caption = "") {
  const fat = create("span", { className: "fat" }, create("i"), slider, create("output", { attributes: { "aria-hidden": "true" } }))
  if (caption) fat.append(create("b", { textContent: caption, attributes: { "aria-hidden": "true" } }))
  slider.addEventListener("input", () => showValue(slider))
  showValue(slider)
  return fat
}

/** Draws the value of a slider. Called after a change of the value by the page. */
export function showValue(slider) {
  const [least, greatest] = [Number(slider.min), Number(slider.max)]
  slider.parentElement.style.setProperty("--share", (Number(slider.value) - least) / (greatest - least))
  slider.parentElement.querySelector("output").textContent = `${slider.value}${slider.dataset.unit ?? ""}`
}

/** Makes the sliders of the page fat: all elements with the class `fat` that contain only a slider. */
export function drawSliders(root = document) {
  for (const fat of root.querySelectorAll(".fat")) fat.replaceWith(fatSlider(fat.querySelector("input"), fat.dataset.caption))
}
