import type { FocusEvent, KeyboardEvent } from 'react'

/**
 * For a select in which one can type. The first match is highlighted: Tab takes it as Enter does, instead of dropping what
 * was typed. Enter does not send the form while nothing matches, because the former choice would be sent.
 */
export function takeMatch(event: KeyboardEvent<HTMLInputElement>): void {
  const field = event.currentTarget
  if (field.readOnly || field.getAttribute('aria-expanded') !== 'true') return
  const list = document.getElementById(field.getAttribute('aria-controls') ?? '')
  if (event.key === 'Tab') list?.querySelector<HTMLElement>('[data-combobox-selected]')?.click()
  if (event.key === 'Enter' && !list?.querySelector('[role="option"]')) event.preventDefault()
}

/** So that typing replaces the chosen option instead of being added to it. */
export function selectText({ currentTarget }: FocusEvent<HTMLInputElement>): void {
  if (!currentTarget.readOnly) currentTarget.select()
}
