import { isRecord } from '../../../shared/objects.ts'
import type { Steps } from '../../lib/pieces.ts'

/** JSON.stringify and SQLite's JSON functions fail far deeper, with an error of the server instead of a refusal. */
export const maxDepth = 100

export function isDeeperThan(depth: number, value: unknown): boolean {
  if (!isRecord(value)) return false
  if (depth === 0) return true
  if (Array.isArray(value)) return value.some((inner) => isDeeperThan(depth - 1, inner))
  // Far quicker than a list of the values where there are thousands of keys.
  for (const key in value) if (isDeeperThan(depth - 1, value[key])) return true
  return false
}

/** More than any legitimate body has. */
const maxValues = 130_000
const bytesOfValue = 40

/**
 * How many values a JSON text of so many bytes may hold: parsing a megabyte of `[],[],[]` takes a hundred times as long as
 * a megabyte of text.
 */
export const valuesIn = (byteLimit: number): number => Math.min(maxValues, Math.floor(byteLimit / bytesOfValue))

/** Whether a JSON text holds more than `max` values; stops reading as soon as that is known. */
export function hasMoreValues(text: string, max: number): boolean {
  for (const steps = lookForMoreValues(text, max); ; ) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** The same for texts of megabytes. */
export function* lookForMoreValues(text: string, max: number): Steps<boolean> {
  if (countSigns(text, max) <= max) return false
  yield
  return (yield* countValues(text, max)) > max
}

/** Counts `,`, `[` and `{`, also inside texts; stops above `max`. */
function countSigns(text: string, max: number): number {
  let count = 0
  for (const sign of [',', '[', '{'])
    for (let at = text.indexOf(sign); at >= 0 && count <= max; at = text.indexOf(sign, at + 1)) count++
  return count
}

const [quote, comma, bracket, brace, backslash] = [...'",[{\\'].map((sign) => sign.charCodeAt(0))
/** Characters scanned in one step. */
const scannedPerStep = 128 * 1024

/** The same, without those inside texts. */
function* countValues(text: string, max: number): Steps<number> {
  let count = 0
  let isInText = false
  for (let at = 0; at < text.length && count <= max; ) {
    for (const end = Math.min(text.length, at + scannedPerStep); at < end && count <= max; at++) {
      const code = text.charCodeAt(at)
      if (isInText && code === backslash) at++
      else if (code === quote) isInText = !isInText
      else if (!isInText && (code === comma || code === bracket || code === brace)) count++
    }
    yield
  }
  return count
}
