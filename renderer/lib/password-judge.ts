import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common'
import { dictionary as english, translations } from '@zxcvbn-ts/language-en'

/**
 * The judge the server has (passwords/strength.ts), so that the meter does not praise what will be refused; a test
 * holds the two together. With its dictionaries it is larger than a page: import it only where a password is chosen.
 */
const judge = new ZxcvbnFactory({
  dictionary: {
    passwords: common['passwords-common'],
    words: english['commonWords-en'],
    firstNames: english['firstnames-en'],
  },
  graphs,
  translations,
  maxLength: 32,
  l33tMaxSubstitutions: 10,
})

/** From this score on the server takes a password. */
export const leastScore = 2

export interface Verdict {
  /** 0 is guessed at once, 4 is out of reach. */
  score: 0 | 1 | 2 | 3 | 4
  /** What makes it weak, or what would make it stronger. */
  hint: string | null
}

/** How soon somebody would guess a password who knows `about` its owner: names, address, company. */
export function judgePassword(password: string, about: readonly string[]): Verdict {
  const { score, feedback } = judge.check(password.toLowerCase(), wordsOf(about))
  return { score, hint: feedback.warning ?? feedback.suggestions[0] ?? null }
}

const wordsOf = (about: readonly string[]): string[] =>
  about
    .map((text) => text.split(/[^\p{L}\p{N}]+/u))
    .flatMap((words) => [words.join(''), ...words])
    .filter((word) => word.length >= 3)
