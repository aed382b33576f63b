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
  const ids = leadingTexts(body).map((text, at) => {
    text.id ||= `${body.id}-text-${at}`
    return text.id
  })
  const described = ids.join(' ')
  if (described === '') dialog.removeAttribute('aria-describedby')
  else if (dialog.getAttribute('aria-describedby') !== described) dialog.setAttribute('aria-describedby', described)
}

function leadingTexts(body: Element): Element[] {
  const texts: Element[] = []
  for (const one of body.querySelectorAll(`${leadingText}, ${anythingElse}`)) {
    // Such as a link in a sentence.
    if (texts.some((text) => text.contains(one))) continue
    if (!one.matches(leadingText)) break
    texts.push(one)
  }
  return texts
}
