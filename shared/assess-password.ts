import { ZxcvbnFactory } from '@zxcvbn-ts/core'
import { dictionary as common, adjacencyGraphs as graphs } from '@zxcvbn-ts/language-common'
import german from '@zxcvbn-ts/language-de/dist/commonWords.json.esm.js'
import words from '@zxcvbn-ts/language-en/dist/commonWords.json.mjs'
import firstNames from '@zxcvbn-ts/language-en/dist/firstnames.json.mjs'
import translations from '@zxcvbn-ts/language-en/dist/translations.mjs'
import { type About, estimateBounds, judgePassword, type Verdict } from './password-strength.ts'

/**
 * Server and console judge with the same dictionaries. They are large, so the console imports this only where a password
 * is chosen; the packages' own bundles have twice as many.
 */
const estimator = new ZxcvbnFactory({
  dictionary: { passwords: common['passwords-common'], words, germanWords: german, firstNames },
  graphs,
  translations,
  ...estimateBounds,
})

/** Strength of a password against somebody who knows `about` its owner: names, address, company. */
export const assessPassword = (password: string, about: About): Verdict =>
  judgePassword(password, about, (text, known) => estimator.check(text, known))
