import type { Steps } from '../../lib/pieces.ts'

/** Characters of the text searched in one step. */
const charactersPerStep = 8 * 1024

/** Whether a text contains another, which is not empty. */
export function* containsText(text: string, part: string): Steps<boolean> {
  for (let at = 0; at < text.length; at += charactersPerStep) {
    if (text.slice(at, at + charactersPerStep + part.length - 1).includes(part)) return true
    yield
  }
  return false
}
