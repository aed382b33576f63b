/** How soon a password is guessed, apart from the estimator and its large dictionaries (`assess-password.ts`). */

/** What a password guards, in words that an attacker tries first: addresses, names, companies. */
export type About = readonly string[]

export interface Verdict {
  /** 0 is guessed at once, 4 is out of reach. */
  score: 0 | 1 | 2 | 3 | 4
  /** What makes it weak, or what would make it stronger. */
  hint: string | null
}

/** As zxcvbn answers; `words` are worth next to nothing in the password. */
export type Estimate = (
  password: string,
  words: string[],
) => { score: Verdict['score']; feedback: { warning: string | null; suggestions: string[] } }

/** From here on it takes a million guesses and more, which the lock-out and argon2 put out of reach. */
export const leastScore = 2

/** With more characters or substitutions an estimate takes tens of milliseconds in which nothing else happens. */
export const estimateBounds = { maxLength: 32, l33tMaxSubstitutions: 10 }

/** What stands on the screens of this product, or what its user is called in other products. */
const wordsOfTheField = ['homeport', 'admin', 'administrator', 'server', 'agent', 'device', 'root', 'support', 'login']

/** What people begin a password with that has to have a capital letter and a digit, in the languages of our users. */
const classics = [
  ...['password', 'welcome', 'hello', 'secret', 'letmein', 'changeme', 'spring', 'summer', 'autumn', 'winter'],
  ...['passwort', 'kennwort', 'willkommen', 'hallo', 'geheim', 'schatz', 'frühling', 'sommer', 'herbst', 'qwertz'],
  ...['qwerty', 'motdepasse', 'bienvenue', 'contraseña', 'benvenuto', 'senha'],
]

const years = '(?:19|20)[0-9]{2}'

const tooLittle = 'Too easy to guess. Avoid names, your company, years and common words.'

/**
 * A word that is known beforehand must not carry a password, however long it is: what is left without such words has to
 * stand by itself, and digits and signs around them do not count for that.
 */
export function judgePassword(password: string, about: About, estimate: Estimate): Verdict {
  const personal = wordsOf([...about, ...wordsOfTheField])
  // A capital letter keeps the estimator from seeing a sequence, and the rules made everybody put one there.
  const whole = estimate(password.toLowerCase(), personal)
  const hint = whole.feedback.warning ?? whole.feedback.suggestions[0] ?? null
  const pieces = plain(password).split(anyOf([...personal, ...classics]))
  if (pieces.length === 1) return { score: whole.score, hint }
  const rest = pieces.map((piece) => piece.replace(/^\P{L}+|\P{L}+$/gu, '')).join('')
  const score = rest === '' ? 0 : estimate(rest, []).score
  if (score < leastScore) return { score: min(score, whole.score), hint: tooLittle }
  return { score: min(score, whole.score), hint }
}

/** Names of people and companies come as phrases, addresses with signs in between. */
const wordsOf = (about: About): string[] =>
  about
    .map((text) => text.normalize('NFC').split(/[^\p{L}\p{N}]+/u))
    .flatMap((words) => [words.join(''), ...words])
    .filter((word) => word.length >= 3)

const lookalikes: Record<string, string> = {
  a: '[a4@]',
  e: '[e3]',
  i: '[i1!]',
  l: '[l1!]',
  o: '[o0]',
  s: '[s5$]',
  t: '[t7]',
}

/** Lower case, without accents. */
const plain = (text: string) => text.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '').replaceAll('ß', 'ss')

/** Words of letters and digits only, the longest first, with umlauts in either spelling and look-alikes for letters. */
function anyOf(words: readonly string[]): RegExp {
  const patterns = words
    .toSorted((one, other) => other.length - one.length)
    .map((word) => plain(word.normalize('NFD').replaceAll('\u0308', 'e?')))
    .map((word) => word.replace(/[aeilost]/g, (letter) => lookalikes[letter] ?? letter))
  return new RegExp([...patterns, years].join('|'), 'u')
}

const min = (one: Verdict['score'], other: Verdict['score']) => (one < other ? one : other)
