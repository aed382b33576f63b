/** Letters that come this soon after each other, in milliseconds, are one word. */
const pauseMs = 600

export interface Typed {
  text: string
  /** When its last letter came. */
  at: number
}

export const typeOn = ({ text, at }: Typed, letter: string, now: number): Typed => ({
  text: now - at > pauseMs ? letter : text + letter,
  at: now,
})

/**
 * The next of the names that begins with what was typed, going round behind the last; -1 if there is none. A first
 * letter leaves the place where one is, the same letter again goes from one to the next, a longer word stays while it fits.
 */
export function nextMatch(names: readonly string[], current: number, text: string): number {
  const typed = text.toLowerCase()
  const isOneLetter = [...typed].every((letter) => letter === typed[0])
  const wanted = isOneLetter ? typed.slice(0, 1) : typed
  const first = isOneLetter ? current + 1 : current
  const found = [...names.keys()].map((step) => (first + step) % names.length)
  return found.find((index) => names[index]?.toLowerCase().startsWith(wanted)) ?? -1
}
