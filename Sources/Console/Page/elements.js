// Creates HTML elements.

/** Creates an element with properties, `attributes` and children. Strings become text, never markup. */
export function create(tag, properties = {}, ...children) {
  const { attributes = {}, ...rest } = properties
  const created = Object.assign(document.createElement(tag), rest)
  for (const [name, value] of Object.entries(attributes)) created.setAttribute(name, value)
  created.append(...children)
  return created
}
