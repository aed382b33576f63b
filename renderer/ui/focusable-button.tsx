import type { ComponentProps, MouseEvent } from 'react'

/**
 * Root element of every button. A disabled or busy one keeps the focus and does nothing; the `disabled` attribute would
 * take it from a user who has just pressed it. The Tab key passes it by.
 */
export function renderFocusableButton({ disabled, ...props }: ComponentProps<'button'>) {
  // Mantine gives a type to real buttons only; others are links.
  if (!props.type) return <a {...(props as ComponentProps<'a'>)} />
  return <button {...props} {...(disabled && { 'aria-disabled': true, tabIndex: -1, onClick: ignore })} />
}

/** Also ignores the click that Enter in a field sends to the submit button. */
function ignore(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
