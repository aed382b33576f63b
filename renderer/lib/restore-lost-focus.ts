/**
 * Keeps the focus from getting lost. Browsers drop it when its element goes away: a menu item that opened a dialog, a
 * deleted row, a form replaced by its result. The element that had it before gets it back, unless something new takes
 * it. A refused form focuses its first invalid field.
 */
export function restoreLostFocus(): void {
  const trail: Place[] = []
  let submitted: HTMLFormElement | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  const onChange = () => {
    const faulty = submitted?.querySelector<HTMLElement>(faultyField)
    if (faulty) faulty.focus()
    if (!isLost(trail.at(-1))) return
    clearTimeout(timer)
    timer = setTimeout(() => isLost(trail.at(-1)) && giveBack(trail), graceMs)
  }
  // An element that is hidden keeps the focus until the page is painted.
  const onMutations = (mutations: MutationRecord[]) =>
    mutations.some(({ attributeName }) => attributeName === 'hidden') ? setTimeout(onChange, graceMs) : onChange()
  new MutationObserver(onMutations).observe(document.body, {
    childList: true,
    subtree: true,
    attributeFilter: ['aria-invalid', 'data-error', 'disabled', 'hidden', 'inert'],
  })
  document.addEventListener('submit', (event) => {
    submitted = event.target as HTMLFormElement
    // A field that stays invalid causes no mutation to observe.
    setTimeout(onChange)
  })
  const moveOn = () => {
    submitted = null
  }
  document.addEventListener('keydown', moveOn, { capture: true })
  document.addEventListener('focusin', ({ target }) => {
    moveOn()
    trail.push(placeOf(target as HTMLElement))
    trail.splice(0, trail.length - longestTrail)
  })
  // A click beside everything removes the focus on purpose.
  document.addEventListener('pointerup', () => {
    moveOn()
    if (document.activeElement === document.body) trail.length = 0
  })
}

interface Place {
  element: HTMLElement
  /** Focusable ancestors, from the inside out. */
  around: HTMLElement[]
}

const longestTrail = 12
/** Time for new content to take the focus. */
const graceMs = 80
const faultyField = '[aria-invalid="true"], input[data-error]'

function placeOf(element: HTMLElement): Place {
  const around: HTMLElement[] = []
  for (let outer = element.parentElement; outer; outer = outer.parentElement)
    if (outer.hasAttribute('tabindex')) around.push(outer)
  return { element, around }
}

const isLost = (last: Place | undefined): boolean =>
  last !== undefined && document.activeElement === document.body && !canHaveFocus(last.element)

const canHaveFocus = (element: HTMLElement): boolean =>
  element.isConnected &&
  element.checkVisibility({ visibilityProperty: true }) &&
  !element.matches(':disabled, [inert] *')

function giveBack(trail: Place[]): void {
  const places = trail.toReversed().flatMap(({ element, around }) => [element, ...around])
  for (const place of places) {
    if (canHaveFocus(place)) place.focus({ preventScroll: true })
    if (document.activeElement === place) return
  }
  document.querySelector<HTMLElement>('main[tabindex]')?.focus({ preventScroll: true })
}
