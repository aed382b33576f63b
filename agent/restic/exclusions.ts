import { posix } from 'node:path'
import { excludePattern } from './patterns.ts'

/**
 * What restic leaves out, without asking it. A pattern fits a path whose folders or name it describes, or one above it;
 * `**` stands for any number of folders, also none.
 */
export class Exclusions {
  readonly #all: { pattern: string; expression: RegExp }[]
  readonly #any: RegExp | null
  readonly #platform: NodeJS.Platform

  constructor(excludes: readonly string[], platform = process.platform) {
    this.#platform = platform
    const flags = platform === 'win32' ? 'iu' : 'u'
    const patterns = excludes.filter((pattern) => pattern.trim() !== '')
    const sources = patterns.map((pattern) => expressionOf(excludePattern(pattern)))
    this.#all = patterns.map((pattern, n) => ({ pattern, expression: new RegExp(sources[n] ?? '', flags) }))
    this.#any = sources.length > 0 ? new RegExp(sources.map((source) => `(?:${source})`).join('|'), flags) : null
  }

  get patterns(): string[] {
    return this.#all.map(({ pattern }) => pattern)
  }

  /** The first pattern that leaves this path out. */
  patternFor(path: string): string | undefined {
    const plain = this.#platform === 'win32' ? path.replaceAll('\\', '/') : path
    // One expression is much faster than fifteen.
    if (!this.#any?.test(plain)) return undefined
    return this.#all.find(({ expression }) => expression.test(plain))?.pattern
  }
}

/** The pattern as a regular expression for a path with slashes. */
function expressionOf(pattern: string): string {
  const plain = posix.normalize(pattern)
  const isRooted = plain.startsWith('/')
  const parts = plain.split('/').filter(Boolean)
  const last = parts.findLastIndex((part) => part !== '**')
  if (last === -1) return ''
  const inner = parts.slice(0, last + 1).map((part, n) => {
    if (part === '**') return `(?:[^/]+/)*${isRooted ? roomFor(parts.slice(n + 1)) : ''}`
    return `${partOf(part)}${n < last ? '/' : ''}`
  })
  return `${isRooted ? '^/' : '(?:^|/)'}${inner.join('')}(?:/|$)`
}

/** From the root on, restic wants at least one folder or name for each further `**`, not necessarily in its place. */
const roomFor = (rest: readonly string[]): string => (rest.includes('**') ? `(?=(?:[^/]+(?:/|$)){${rest.length}})` : '')

const special = /\[(?!\^\])(\^?)((?:[^\]\-/](?:-[^\]\-/])?)+)\]|\*+|\?|./gsu

function partOf(part: string): string {
  return part.replace(special, (found, negation: string | undefined, ranges: string | undefined) => {
    if (ranges !== undefined) return `(?!/)[${negation}${[...rangesOf(ranges)].join('')}]`
    if (found.startsWith('*')) return '[^/]*'
    return found === '?' ? '[^/]' : literal(found)
  })
}

/** One that begins after its end contains nothing. */
function* rangesOf(text: string): Generator<string> {
  for (const [, from = '', to = from] of text.matchAll(/(.)(?:-(.))?/gsu))
    if ((from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0)) yield `${literal(from)}-${literal(to)}`
}

const literal = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
