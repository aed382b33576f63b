import { RE2JS } from 're2js'
import { z } from 'zod'
import {
  type FilterCondition,
  type FilterConditions,
  fieldType,
  isNested,
  timeSpan,
} from '../../../shared/device-filter.ts'
import type { Steps } from '../../lib/pieces.ts'
import { day, hour, minute } from '../../platform/clock.ts'
import { containsText } from './contains-text.ts'
import { type Facts, smallTexts } from './facts.ts'
import { type Software, type SoftwareAsked, wantedNames } from './software.ts'

/** What rules look at of a device. */
export type RuleFacts = Pick<Facts, 'read' | 'texts'> & { software: Pick<Software, 'contains' | 'called'> }

export interface Rule {
  /** Whether a device fits. */
  fits: (facts: RuleFacts, now: number) => Steps<boolean>
  asked: SoftwareAsked
}

type Test = (facts: RuleFacts, now: number) => boolean
/** What looks at one fact, or at what takes longer. */
type Condition = { test: Test } | { steps: Rule['fits'] }

/**
 * Makes a rule of conditions whose shape has been checked. Texts are compared without regard to case. A fact nobody
 * knows is not equal to anything, neither more nor less, and does not contain anything.
 */
export function ruleOf(group: FilterConditions): Rule {
  const asked = { parts: new Set<string>(), names: new Set<string>() }
  return { fits: stepsOf(group, asked), asked }
}

/** What several rules ask of the software of a device, to be answered together. */
export function* askedByAll(rules: readonly Rule[]): Steps<SoftwareAsked> {
  const all: Asked = { parts: new Set(), names: new Set() }
  for (const { asked } of rules) {
    for (const part of asked.parts) all.parts.add(part)
    for (const name of asked.names) all.names.add(name)
    yield
  }
  return all
}

type Asked = { parts: Set<string>; names: Set<string> }

function stepsOf({ operator, conditions }: FilterConditions, asked: Asked): Rule['fits'] {
  const isAnd = operator === 'AND'
  const all = conditions.map(
    (one): Condition => (isNested(one) ? { steps: stepsOf(one, asked) } : conditionOf(one, asked)),
  )
  // The fast conditions first: usually they decide.
  const inOrder = all.toSorted((a, b) => Number('steps' in a) - Number('steps' in b))
  return function* (facts, now) {
    for (const one of inOrder) {
      const fits = 'test' in one ? one.test(facts, now) : yield* one.steps(facts, now)
      if (fits !== isAnd) return fits
      yield
    }
    return isAnd
  }
}

function conditionOf({ field, operator, value }: FilterCondition, asked: Asked): Condition {
  const type = fieldType(field)
  if (type === 'presence') return { steps: onSoftware(field, operator, value, asked) }
  if (operator === 'matches') return { steps: onPattern(field, String(value)) }
  if (field.startsWith('custom.') && (operator === 'contains' || operator === 'notContains'))
    return { steps: onLongTexts(field, operator, value) }
  return { test: testFor(type, field, operator, value) }
}

/** Whether something on the list of software is called so. */
function onSoftware(field: string, operator: string, value: unknown, asked: Asked): Rule['fits'] {
  const wanted = smallTexts(value)
  const [first = ''] = wanted
  const isTurned = (operator === 'notContains') !== (field === 'software.notInstalled')
  if (operator === 'contains' || operator === 'notContains') {
    asked.parts.add(first)
    return function* ({ software }) {
      return (yield* software.contains(first)) !== isTurned
    }
  }
  const names = wantedNames(wanted)
  for (const name of names.others) asked.names.add(name)
  const least = operator === 'hasAll' ? new Set(wanted).size : 1
  return function* ({ software }) {
    return (yield* software.called(names)).size >= least !== isTurned
  }
}

/** A custom field may hold tens of thousands of letters. */
function onLongTexts(field: string, operator: 'contains' | 'notContains', value: unknown): Rule['fits'] {
  const [wanted = ''] = smallTexts(value)
  return function* (facts) {
    for (const text of facts.texts(field)) if (yield* containsText(text, wanted)) return operator === 'contains'
    return operator === 'notContains'
  }
}

/** Characters of a text that a pattern is tested on: matching cannot be interrupted. */
const scannedPerStep = 500

function onPattern(field: string, value: string): Rule['fits'] {
  let pattern: RE2JS | undefined
  return function* (facts) {
    pattern ??= RE2JS.compile(value)
    const fact = facts.read(field)
    for (const one of Array.isArray(fact) ? fact : [fact]) {
      yield
      if (one !== null && one !== undefined && pattern.matcher(String(one).slice(0, scannedPerStep)).find()) return true
    }
    return false
  }
}

function testFor(type: ReturnType<typeof fieldType>, field: string, operator: string, value: unknown): Test {
  if (operator === 'isNull') return (facts) => facts.texts(field).length === 0
  if (operator === 'isNotNull') return (facts) => facts.texts(field).length > 0
  if (type === 'number') return compared(field, operator, value, (fact) => (typeof fact === 'number' ? fact : null))
  if (type === 'datetime') return compared(field, operator, value, instantIn)
  if (type === 'boolean') return (facts) => (facts.read(field) === value) === (operator === 'equals')
  // Tags are compared as a whole.
  const test = onTexts(type === 'array' && operator === 'contains' ? 'hasAny' : operator, value)
  return (facts) => test(facts.texts(field))
}

const instantIn = (fact: unknown) => (typeof fact === 'string' ? Date.parse(fact) : null)
const asNumber = (value: unknown): number => (typeof value === 'number' ? value : Date.parse(String(value)))

const range = z.object({ from: z.unknown(), to: z.unknown() })
const unitMs = { minutes: minute, hours: hour, days: day, weeks: 7 * day, months: 30 * day }

function compared(field: string, operator: string, value: unknown, numberIn: (fact: unknown) => number | null): Test {
  const test = comparison(operator, value)
  return (facts, now) => {
    const number = numberIn(facts.read(field))
    return number === null ? operator === 'notEquals' : test(number, now)
  }
}

function comparison(operator: string, value: unknown): (number: number, now: number) => boolean {
  const wanted = asNumber(value)
  switch (operator) {
    case 'equals':
      return (number) => number === wanted
    case 'notEquals':
      return (number) => number !== wanted
    case 'greaterThan':
    case 'after':
      return (number) => number > wanted
    case 'greaterThanOrEquals':
      return (number) => number >= wanted
    case 'lessThan':
    case 'before':
      return (number) => number < wanted
    case 'lessThanOrEquals':
      return (number) => number <= wanted
    case 'between': {
      const { from, to } = range.parse(value)
      const [least, most] = [asNumber(from), asNumber(to)]
      return (number) => number >= least && number <= most
    }
    default: {
      const { amount, unit } = timeSpan.parse(value)
      const isWithin = (number: number, now: number) => number >= now - amount * unitMs[unit]
      return operator === 'withinLast' ? isWithin : (number, now) => !isWithin(number, now)
    }
  }
}

const negatives: Record<string, string> = { notEquals: 'equals', notContains: 'contains', notIn: 'in' }

function onTexts(operator: string, value: unknown): (texts: readonly string[]) => boolean {
  const positive = negatives[operator]
  if (positive) {
    const test = onTexts(positive, value)
    return (texts) => !test(texts)
  }
  const wanted = smallTexts(value)
  const [first = ''] = wanted
  switch (operator) {
    case 'contains':
      return (texts) => texts.some((text) => text.includes(first))
    case 'startsWith':
      return (texts) => texts.some((text) => text.startsWith(first))
    case 'endsWith':
      return (texts) => texts.some((text) => text.endsWith(first))
    case 'isEmpty':
      return (texts) => texts.length === 0
    case 'isNotEmpty':
      return (texts) => texts.length > 0
    case 'hasAll':
      return (texts) => {
        const there = new Set(texts)
        return wanted.every((text) => there.has(text))
      }
    default: {
      const any = new Set(wanted)
      return (texts) => texts.some((text) => any.has(text))
    }
  }
}
