import type { FocusEvent } from 'react'

/** Dialogs whose user has pressed a key or clicked: from then on the focus goes where they send it. */
const used = new WeakSet<Element>()

/**
 * For the button that closes a dialog. When a dialog opens, Mantine focuses the first element that can have the focus,
 * which is that button unless a field asks for it. The focus stays with the content if that has taken it already, or
 * moves on to the dialog itself, whose title screen readers say. The Tab key reaches the button as usual.
 */
export function focusContentInstead({ currentTarget, relatedTarget }: FocusEvent<HTMLButtonElement>): void {
  const dialog = currentTarget.closest<HTMLElement>('[role="dialog"]')
  if (!dialog || used.has(dialog)) return
  const use = () => used.add(dialog)
  dialog.addEventListener('keydown', use, { once: true, capture: true })
  dialog.addEventListener('pointerdown', use, { once: true, capture: true })
  const content = relatedTarget instanceof HTMLElement && dialog.contains(relatedTarget) ? relatedTarget : dialog
  content.focus({ preventScroll: true })
}

const firstField = 'input:not([type=hidden], :disabled), textarea:not(:disabled)'

/** Ref of a form in a dialog. The first field has the focus unless another asks for it, also if the form comes late. */
export function focusFirstField(form: HTMLFormElement | null): void {
  if (!form?.querySelector('[data-autofocus]')) form?.querySelector(firstField)?.setAttribute('data-autofocus', '')
  const active = document.activeElement
  if (active?.matches('[role="dialog"]') && active.contains(form))
    form?.querySelector<HTMLElement>('[data-autofocus]')?.focus({ preventScroll: true })
}
