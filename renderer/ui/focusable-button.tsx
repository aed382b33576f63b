import type { ComponentProps, MouseEvent } from 'react'

/**
 * The root of every button. One that is disabled, or busy, stays in reach of the keyboard: it says so and does
 * nothing, where the browser's own `disabled` would take the focus away from whoever has just pressed it.
 */
export function renderFocusableButton({ disabled, ...props }: ComponentProps<'button'>) {
  // Mantine gives a type to buttons alone: what looks like one and leads somewhere is a link.
  if (!props.type) return <a {...(props as ComponentProps<'a'>)} />
  return <button {...props} {...(disabled && { 'aria-disabled': true, onClick: ignore })} />
}

/** Of the click that Enter in a field gives to the button of its form, too. */
function ignore(event: MouseEvent) {
  event.preventDefault()
  event.stopPropagation()
}
