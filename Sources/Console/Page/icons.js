// The drawings of the page: on a square of 24 units, with lines of 2 units in the colour of the text. The class `fill` fills a shape.

const SVG = "http://www.w3.org/2000/svg"

const ICONS = {
  // Places.
  play: '<path d="M8 17V5l11-2v12"/><ellipse class="fill" cx="5.7" cy="17.5" rx="2.6" ry="2.2"/><ellipse class="fill" cx="16.7" cy="15.5" rx="2.6" ry="2.2"/>',
  rhythm: '<path d="M4 6h4M13 6h3M4 12h2M10 12h5M19 12h1M7 18h2M14 18h6" stroke-width="4"/>',
  score: '<path d="M12 6.5C9.5 4.8 6.5 4.5 3.5 5v13.5c3-.5 6-.2 8.5 1.5 2.5-1.7 5.5-2 8.5-1.5V5c-3-.5-6-.2-8.5 1.5zM12 6.5V20"/>',
  everyone: '<circle class="fill" cx="6.5" cy="7" r="3.2"/><path class="fill" d="M17.5 4l3.5 6.5h-7z"/><rect class="fill" x="8.5" y="14" width="7" height="6.5" rx="1"/>',
  // Instruments.
  marimba: '<path d="M4 4v16M9.3 5.5v13M14.6 7v10M20 8.5v7" stroke-width="3.8"/>',
  vibraphone: '<rect x="2.5" y="3.5" width="4" height="11" rx="1"/><rect x="10" y="3.5" width="4" height="9" rx="1"/><rect x="17.5" y="3.5" width="4" height="7" rx="1"/><path d="M3 20q2.25-4 4.5 0t4.5 0 4.5 0 4.5 0"/>',
  kalimba: '<rect x="4" y="3" width="16" height="18" rx="4"/><path d="M8 6.5v6M12 6.5v10M16 6.5v6M6.5 8h11"/>',
  guitar: '<path d="M21 3l-7 7" stroke-width="2.5"/><path class="fill" d="M14.5 9.5c-2-2-5-1.5-5.5 1-.4 1.6-1.4 1.8-3 2.3-3.5 1.2-3.5 5 -1.3 7.2s6 2.2 7.2-1.3c.5-1.6.7-2.6 2.3-3 2.5-.5 3-3.5 1.3-6.2z"/>',
  flute: '<path d="M4.5 5v15M9.5 5v12M14.5 5v9M19.5 5v6" stroke-width="3.6"/><path d="M2 8.5h20"/>',
  drums: '<ellipse cx="8.5" cy="7" rx="6" ry="3"/><path d="M2.5 7l1.3 11c.6 3 8.8 3 9.4 0l1.3-11"/><path d="M14 12.5c2-1.3 7-.9 7.5.7l-.9 6c-.5 2-4.6 2.4-7 1.2"/>',
  // Controls.
  gear: '<circle cx="12" cy="12" r="3.2"/><path d="M12 3v2.5M12 18.5V21M3 12h2.5M18.5 12H21M5.7 5.7l1.7 1.7M16.6 16.6l1.7 1.7M18.3 5.7l-1.7 1.7M7.4 16.6l-1.7 1.7"/>',
  start: '<path class="fill" d="M7.5 4.5l12 7.5-12 7.5z"/>',
  stop: '<rect class="fill" x="5.5" y="5.5" width="13" height="13" rx="1.5"/>',
  baton: '<path d="M7.5 16.5L19 5"/><circle class="fill" cx="6" cy="18" r="2.3"/>',
  note: '<ellipse class="fill" cx="9" cy="18" rx="3.6" ry="2.8"/><path d="M12.6 17.5V4"/>',
  moving: '<rect x="8.5" y="4" width="7" height="16" rx="2" transform="rotate(14 12 12)"/><path d="M4.5 8.5c-1.3 2.3-1.3 4.7 0 7M19.5 8.5c1.3 2.3 1.3 4.7 0 7"/>',
  sliders: '<path d="M3.5 8H12M19.5 8h1M3.5 16h1M12 16h8.5"/><circle cx="15.7" cy="8" r="2.6"/><circle cx="8.3" cy="16" r="2.6"/>',
  hand: '<path d="M7 12.5V7a1.7 1.7 0 013.4 0v4.5V4.7a1.7 1.7 0 013.4 0v6.8V6.5a1.7 1.7 0 013.4 0v8c0 4-2.2 6.5-5.7 6.5-2.9 0-4.7-1.6-6-4.3L3.7 13c.8-1.5 2.4-1.3 3.3-.5z"/>',
  close: '<path d="M6 6l12 12M18 6L6 18"/>',
  minus: '<path d="M5 12h14"/>',
  plus: '<path d="M5 12h14M12 5v14"/>',
  dot: '<circle class="fill" cx="12" cy="12" r="5"/>',
  check: '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
  qr: '<path class="fill" d="M3 3h8v8H3zm2.5 2.5v3h3v-3zM13 3h8v8h-8zm2.5 2.5v3h3v-3zM3 13h8v8H3zm2.5 2.5v3h3v-3z" fill-rule="evenodd" stroke="none"/><path class="fill" d="M13 13h3v3h-3zM18 13h3v3h-3zM15.5 16h3v2.5h-3zM13 18.5h3V21h-3zM18.5 18.5H21V21h-2.5z" stroke="none"/>',
  back: '<path d="M15 5l-7 7 7 7"/>',
  on: '<path d="M9 5l7 7-7 7"/>',
  follow: '<path d="M4 12h13M12 6.5l5.5 5.5-5.5 5.5"/><path d="M20.5 5v14"/>',
  sound: '<path class="fill" d="M4 9.5v5h3.5l4.5 4v-13l-4.5 4z"/><path d="M15.5 9c1.7 1.8 1.7 4.2 0 6M18.5 6.5c3 3.2 3 7.8 0 11"/>',
  mute: '<path class="fill" d="M4 9.5v5h3.5l4.5 4v-13l-4.5 4z"/><path d="M16 9.5l5 5M21 9.5l-5 5"/>',
  lost: '<path d="M4 9.5c4.5-4 11.5-4 16 0M7.5 13.5c2.5-2.3 6.5-2.3 9 0M12 18.2v.1M4.5 20.5l15-16"/>',
  quiet: '<path d="M8.5 5v14M15.5 5v14" stroke-width="4"/>',
  moon: '<path class="fill" d="M20 14.5A8.5 8.5 0 119.5 4 7 7 0 0020 14.5z"/>',
  tap: '<path d="M9.5 14.5V6.7a1.7 1.7 0 013.4 0v5.8l4.6 1.2c1.3.4 1.8 1.3 1.5 2.6l-1.2 4.7M10.5 21l-4-5.5c.7-1.3 2-1.5 3-.7M5.5 8a6 6 0 0111.5 0"/>',
  count: '<path d="M4.5 9L7 7.5V17M10.5 9c.7-2 4-1.8 4 .7 0 2.3-4 3.8-4 7.3h4.2M18 7.5h3.5L19.3 11c3.3.3 3 5.5-1.8 5.7"/>',
  next: '<path class="fill" d="M4.5 5.5l9 6.5-9 6.5z"/><path d="M17.5 5.5v13" stroke-width="3"/>',
  fill: '<path d="M4 18v-3M9.3 18v-6M14.6 18V9M20 18V5" stroke-width="3.6"/>',
  key: '<rect x="4" y="6" width="16" height="12" rx="6"/><circle class="fill" cx="12" cy="12" r="1.5"/>',
  pitch: '<path d="M3.5 18.5H8v-4.5h4.5V9.5H17V5h3.5"/>',
  shape: '<path d="M3 12c2-9 4.5-9 6 0s4 9 6 0 4-6.5 6-3"/>',
  swap: '<path d="M4 8.5h15l-4-4M20 15.5H5l4 4"/>',
  record: '<circle class="fill" cx="12" cy="12" r="6.5"/>',
  send: '<path d="M12 19V8M7.5 12L12 7.5l4.5 4.5M5 4.5h14"/>',
  repeat: '<path d="M4 11V9a3 3 0 013-3h12l-3-3M20 13v2a3 3 0 01-3 3H5l3 3"/>',
  vary: '<path d="M3.5 17.5c4 0 4.5-11 8.5-11s4.5 11 8.5 11M3.5 8h3M17.5 8h3"/>',
  bass: '<path d="M4 12a8 8 0 0116 0c0 5-5 7.5-10 9.5"/><circle class="fill" cx="7" cy="12" r="2.2"/>',
  keys: '<rect x="3" y="5" width="18" height="14" rx="1.5"/><path d="M9 12.5V19M15 12.5V19"/><path class="fill" d="M7.5 5h3v7.5h-3zM13.5 5h3v7.5h-3z"/>',
}

/** An icon as an SVG image. Screen readers do not read it. */
export function createIcon(name) {
  const icon = document.createElementNS(SVG, "svg")
  icon.setAttribute("class", "icon")
  return setIcon(icon, name)
}

/** Shows another icon in an SVG image. The drawings are constants of this file, never texts from the network. */
export function setIcon(icon, name) {
  if (icon.dataset.icon === name && icon.hasChildNodes()) return icon
  icon.dataset.icon = name
  icon.setAttribute("viewBox", "0 0 24 24")
  icon.setAttribute("aria-hidden", "true")
  icon.innerHTML = ICONS[name]
  return icon
}

/** Draws the icons of all elements with the attribute data-icon. */
export function drawIcons(root = document) {
  for (const icon of root.querySelectorAll("svg[data-icon]")) setIcon(icon, icon.dataset.icon)
}
