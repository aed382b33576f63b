const select = 'input.mantine-Select-input:not([data-read-only] *)'
const searchable = 'input.mantine-Select-input:not([readonly])'
const isOpen = '[aria-expanded="true"]'

/**
 * Keys in selects and menus, the same everywhere.
 *
 * A select in which one can type: its text is selected when it gets the focus, so that typing replaces it. The first match
 * is highlighted: Tab takes it as Enter does, instead of dropping what was typed. Escape restores the choice; on a page, a
 * second one leaves the field.
 *
 * Any select: Enter opens the list, and does not send the form while nothing matches, because the former choice would be
 * sent.
 *
 * A menu: letters are no shortcuts of the page below it.
 */
export function handlePopupKeys(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(searchable)) target.select()
  })
  document.addEventListener(
    'keydown',
    (event) => {
      const { target, key } = event
      if (!(target instanceof HTMLElement)) return
      if (target instanceof HTMLInputElement && target.matches(select)) handleSelect(target, event)
      else if (/^[^ ]$/.test(key) && target.closest('[role="menu"]')) event.stopPropagation()
    },
    { capture: true },
  )
}

function handleSelect(field: HTMLInputElement, event: KeyboardEvent): void {
  if (!field.matches(isOpen)) {
    if (event.key === 'Enter') {
      event.preventDefault()
      field.click()
    }
    if (event.key === 'Escape' && !field.closest('[role="dialog"]')) field.blur()
    return
  }
  // A select shows its choice again when it loses the focus.
  if (event.key === 'Escape')
    setTimeout(() => {
      field.blur()
      field.focus()
    })
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '')
  if (event.key === 'Tab') list?.querySelector<HTMLElement>('[data-combobox-selected]')?.click()
  if (event.key === 'Enter' && !list?.querySelector('[role="option"]')) event.preventDefault()
}
