import type { Steps } from '../../lib/pieces.ts'

/** So much of a text is searched in a step: it may be compared with each letter of what is looked for. */
const charactersPerStep = 8 * 1024

/** Whether a text contains another, which is not empty. */
export function* containsText(text: string, part: string): Steps<boolean> {
  for (let at = 0; at < text.length; at += charactersPerStep) {
    if (text.slice(at, at + charactersPerStep + part.length - 1).includes(part)) return true
    yield
  }
  return false
}
