import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'

// With its dictionaries this is larger than the rest of the console: import it only where a password is chosen.
const judge = new ZxcvbnFactory({ dictionary: { ...common, ...english }, graphs, translations })

export interface Verdict {
  /** 0 is guessed at once, 4 is out of reach. */
  score: 0 | 1 | 2 | 3 | 4
  /** What makes it weak, or what would make it stronger. */
  hint: string | null
}

/** How soon somebody would guess a password who knows `about` its owner: names, address, company. */
export function judgePassword(password: string, about: readonly string[]): Verdict {
  const { score, feedback } = judge.check(password, [...about, 'homeport'])
  return { score, hint: feedback.warning ?? feedback.suggestions[0] ?? null }
}
