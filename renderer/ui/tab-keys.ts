import type { KeyboardEvent } from 'react'

/** Home and End open the first and the last tab as the arrow keys open the next; Mantine only moves the focus. */
export function openFirstOrLastTab({ key, currentTarget }: KeyboardEvent<HTMLButtonElement>): void {
  if (key !== 'Home' && key !== 'End') return
  const tabs = currentTarget.closest('[role="tablist"]')?.querySelectorAll<HTMLElement>('[role="tab"]:not(:disabled)')
  Array.from(tabs ?? [])
    .at(key === 'Home' ? 0 : -1)
    ?.click()
}
