import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common'
import german from '@zxcvbn-ts/language-de/dist/commonWords.json.esm.js'
import { translations } from '@zxcvbn-ts/language-en'
import words from '@zxcvbn-ts/language-en/dist/commonWords.json.mjs'
import firstNames from '@zxcvbn-ts/language-en/dist/firstnames.json.mjs'
import { type About, estimateBounds, judgePassword, type Verdict } from '../../shared/password-strength.ts'

/**
 * The estimator the server has (passwords/strength.ts), so that the meter does not praise what will be refused; a test
 * holds the two together. With its dictionaries it is larger than a page: import it only where a password is chosen,
 * and each list by itself, because the packages bring twice as many.
 */
const estimator = new ZxcvbnFactory({
  dictionary: { passwords: common['passwords-common'], words, germanWords: german, firstNames },
  graphs,
  translations,
  ...estimateBounds,
})

/** How soon somebody would guess a password who knows `about` its owner: names, address, company. */
export const assessPassword = (password: string, about: About): Verdict =>
  judgePassword(password, about, (text, known) => estimator.check(text, known))
