import { RE2JS } from 're2js'
import { type FilterConditions, isNested } from '../../../shared/device-filter.ts'

/** How often the patterns of a rule may repeat something by number, and of how many steps they may consist. */
const maxRepeats = 100
const maxProgramSize = 500
/** `\p{L}` is one instruction but hundreds of ranges, which are sorted when it is compiled. */
const maxCharacterClasses = 20

/** The patterns of a rule take so long that everybody would have to wait for them. */
export class PatternsTooLarge extends Error {
  override message = 'The patterns of a rule must not be so large, nor repeat so much'
}

/**
 * RE2 is linear in the text, but its cost per letter grows with the size of the program, which `{n}` multiplies.
 * @throws PatternsTooLarge; RE2JSException for a pattern that cannot be parsed
 */
export function assertPatternsFit(rule: FilterConditions): void {
  const patterns = patternsIn(rule)
  // Before compiling, which expands the repetitions.
  const numbers = patterns.join('\n').matchAll(/\{(\d*),?(\d*)\}/g)
  if (sum([...numbers].map(([, least, most]) => Math.max(Number(least), Number(most)))) > maxRepeats)
    throw new PatternsTooLarge()
  if ((patterns.join('\n').match(/\\p/gi)?.length ?? 0) > maxCharacterClasses) throw new PatternsTooLarge()
  let steps = 0
  for (const pattern of patterns) {
    steps += RE2JS.compile(pattern).programSize()
    if (steps > maxProgramSize) throw new PatternsTooLarge()
  }
}

const patternsIn = ({ conditions }: FilterConditions): string[] =>
  conditions.flatMap((one) => (isNested(one) ? patternsIn(one) : one.operator === 'matches' ? [String(one.value)] : []))

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0)
