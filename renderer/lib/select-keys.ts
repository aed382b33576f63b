const searchable = 'input.mantine-Select-input:not([readonly])'

/**
 * For every select in which one can type. Its text is selected when it gets the focus, so that typing replaces it. The
 * first match is highlighted: Tab takes it as Enter does, instead of dropping what was typed. Enter does not send the form
 * while nothing matches, because the former choice would be sent.
 */
export function handleSelectKeys(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof HTMLInputElement && target.matches(searchable)) target.select()
  })
  document.addEventListener(
    'keydown',
    (event) => {
      const { target, key } = event
      if (!(target instanceof HTMLInputElement) || !target.matches(`${searchable}[aria-expanded="true"]`)) return
      const list = document.getElementById(target.getAttribute('aria-controls') ?? '')
      if (key === 'Tab') list?.querySelector<HTMLElement>('[data-combobox-selected]')?.click()
      if (key === 'Enter' && !list?.querySelector('[role="option"]')) event.preventDefault()
    },
    { capture: true },
  )
}
