const leadingText = 'p, ul, ol, .mantine-Text-root, .mantine-Alert-root'
const anythingElse = 'label, input, textarea, button, a, table, dl, pre, section'

/**
 * Describes dialogs by the text they begin with, if they begin with one. Mantine names the whole content as the
 * description, which screen readers then read out in one breath, with the labels of all fields and buttons.
 */
export function describeDialogs(): void {
  new MutationObserver(() => {
    for (const dialog of document.querySelectorAll('[role="dialog"]')) describe(dialog)
  }).observe(document.body, { childList: true, subtree: true, attributeFilter: ['aria-describedby'] })
}

function describe(dialog: Element): void {
  const body = dialog.querySelector('.mantine-Modal-body, .mantine-Drawer-body')
  if (!body) return
  const first = body.querySelector(`${leadingText}, ${anythingElse}`)
  if (!first?.matches(leadingText)) {
    dialog.removeAttribute('aria-describedby')
    return
  }
  first.id ||= `${body.id}-text`
  if (dialog.getAttribute('aria-describedby') !== first.id) dialog.setAttribute('aria-describedby', first.id)
}
