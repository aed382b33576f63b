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
    let groups = 0
    const sources = patterns.map((pattern) => expressionOf(excludePattern(pattern), () => `g${++groups}`))
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

/** Says another name at each call. */
type NewName = () => string

/**
 * What comes between two wildcards is taken where it is found first, and nowhere else: another place would leave less for what
 * follows. Otherwise a pattern with many wildcards would take forever.
 */
function onlyFirst(wildcard: string, then: string, newName: NewName): string {
  const name = newName()
  return `(?=(?<${name}>${wildcard}?${then}))\\k<${name}>`
}

/** The pattern as a regular expression for a path with slashes. */
function expressionOf(pattern: string, newName: NewName): string {
  const plain = posix.normalize(pattern)
  const isRooted = plain.startsWith('/')
  const parts = plain.split('/').filter(Boolean)
  const last = parts.findLastIndex((part) => part !== '**')
  if (last === -1) return ''
  const spans = parts.flatMap((part, n) => (part === '**' && n < last ? [n] : []))
  const between = (from: number, to: number) =>
    parts
      .slice(from, to)
      .map((part, n) => `${partOf(part, newName)}${from + n < last ? '/' : ''}`)
      .join('')
  const inner = spans.map((at, n) => {
    const next = spans[n + 1]
    const room = isRooted ? roomFor(parts.slice(at + 1)) : ''
    const then = room + between(at + 1, next ?? last + 1)
    return next === undefined ? `${folders}${then}` : onlyFirst(folders, then, newName)
  })
  return `${isRooted ? '^/' : '(?:^|/)'}${between(0, spans[0] ?? last + 1)}${inner.join('')}(?:/|$)`
}

const folders = '(?:[^/]+/)*'

/** From the root on, restic wants at least one folder or name for each further `**`, not necessarily in its place. */
const roomFor = (rest: readonly string[]): string => (rest.includes('**') ? `(?=(?:[^/]+(?:/|$)){${rest.length}})` : '')

const special = /\[(?!\^\])(\^?)((?:[^\]\-/](?:-[^\]\-/])?)+)\]|\*+|\?|./gsu

function partOf(part: string, newName: NewName): string {
  const spans = ['']
  for (const [found, negation = '', ranges] of part.matchAll(special)) {
    if (found.startsWith('*')) spans.push('')
    else spans.push(spans.pop() + characterOf(found, negation, ranges))
  }
  const [first = '', ...others] = spans
  const last = others.pop()
  const between = others.map((text) => onlyFirst('[^/]*', text, newName)).join('')
  return first + between + (last === undefined ? '' : `[^/]*${last}`)
}

function characterOf(found: string, negation: string, ranges: string | undefined): string {
  if (ranges !== undefined) return `(?!/)[${negation}${[...rangesOf(ranges)].join('')}]`
  return found === '?' ? '[^/]' : literal(found)
}

/** One that begins after its end contains nothing. */
function* rangesOf(text: string): Generator<string> {
  for (const [, from = '', to = from] of text.matchAll(/(.)(?:-(.))?/gsu))
    if ((from.codePointAt(0) ?? 0) <= (to.codePointAt(0) ?? 0)) yield `${literal(from)}-${literal(to)}`
}

const literal = (character: string): string => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
