/** Letters typed within this time of each other, in milliseconds, make one word. */
const pauseMs = 600

export interface TypedText {
  text: string
  /** Time of the last letter. */
  at: number
}

export const addLetter = ({ text, at }: TypedText, letter: string, now: number): TypedText => ({
  text: now - at > pauseMs ? letter : text + letter,
  at: now,
})

/**
 * Index of the next name that begins with the typed text, wrapping around; -1 if there is none. A first letter moves
 * on from the current row, repeating it goes to the next match, and a longer word stays while it matches.
 */
export function nextMatch(names: readonly string[], current: number, text: string): number {
  const typed = text.toLowerCase()
  const isOneLetter = [...typed].every((letter) => letter === typed[0])
  const wanted = isOneLetter ? typed.slice(0, 1) : typed
  const first = isOneLetter ? current + 1 : current
  const found = [...names.keys()].map((step) => (first + step) % names.length)
  return found.find((index) => names[index]?.toLowerCase().startsWith(wanted)) ?? -1
}
