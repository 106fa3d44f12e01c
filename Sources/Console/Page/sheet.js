// The sheets: dialogs that come from the lower edge, on wide screens from the right. The browser makes the page behind a sheet inert, closes
// the sheet with Escape, and gives the focus back.

const element = (id) => document.getElementById(id)

/** Opens a sheet. Its title gets the focus. */
export function openSheet(id) {
  const sheet = element(id)
  if (sheet.open) return
  sheet.showModal()
  sheet.querySelector("h2").focus()
}

/** Connects the buttons that open or close sheets. A click beside a sheet closes it too. */
export function connectSheets() {
  for (const button of document.querySelectorAll("[data-sheet]")) button.addEventListener("click", () => openSheet(button.dataset.sheet))
  for (const sheet of document.querySelectorAll("dialog")) {
    sheet.addEventListener("click", (event) => {
      if (event.target === sheet || event.target.closest("[data-close]")) sheet.close()
    })
  }
}
