/** Whether a key goes into a field. Boxes and buttons take no text, so that keys of the page work on them. */
export function isTyping({ target }: Event): boolean {
  if (target instanceof HTMLInputElement) return target.type !== 'checkbox' && target.type !== 'radio'
  return (
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  )
}
