/** Words that say what kind of company it is, which one list has and another leaves out. */
const legalForms = new Set(
  (
    'ab ag aps as asa bv co company corp corporation cv ev eg gbr gmbh gesellschaft inc incorporated kg kgaa limited llc llp ' +
    'lp ltd mbh nv oe og ohg oy oyj plc pte pty sa sarl sas se sl sn snc sp spa srl sro ug und and'
  ).split(' '),
)

/** The words of a name that tell it from others, without case, accents, punctuation and legal forms. */
function tellingWords(name: string): string[] {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replaceAll('ß', 'ss')
    .toLowerCase()
    // `e.V.` and `GmbH & Co. KG` are words without the dots.
    .replace(/(?<=\p{L})\.(?=\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
  const telling = words.filter((word) => !legalForms.has(word))
  return telling.length > 0 ? telling : words
}

/** What to search for, to find names like this one. */
export const searchForLike = (name: string): string =>
  tellingWords(name).reduce((longest, word) => (word.length > longest.length ? word : longest), '')

const shortestPart = 4

/**
 * The name that most likely means the same: equal but for the legal form, or one begins with all words of the other.
 * `Nordwind` is like `Nordwind GmbH` and `Nordwind Logistik AG`, not like `Nordwindpark`. Undefined if none is, or two
 * are equally likely.
 */
export function nearestName<Named extends { name: string }>(name: string, all: readonly Named[]): Named | undefined {
  const wanted = tellingWords(name)
  const ranked = all.map((one) => ({ one, rank: likeness(wanted, tellingWords(one.name)) }))
  const most = Math.max(0, ...ranked.map(({ rank }) => rank))
  const [first, ...others] = ranked.filter(({ rank }) => rank === most && rank > 0)
  return others.length === 0 ? first?.one : undefined
}

function likeness(wanted: string[], words: string[]): 0 | 1 | 2 {
  const [shorter, longer] = wanted.length <= words.length ? [wanted, words] : [words, wanted]
  if (!shorter.every((word, at) => word === longer[at])) return 0
  if (shorter.length === longer.length) return 2
  return shorter.join('').length >= shortestPart ? 1 : 0
}
