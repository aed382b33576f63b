import { RE2JS } from 're2js'
import {
  type FilterCondition,
  type FilterConditions,
  fieldType,
  isNested,
  type timeUnits,
} from '../../../shared/device-filter.ts'
import { day, hour, minute } from '../../platform/clock.ts'
import type { Facts } from './facts.ts'

export type Rule = (facts: Facts, now: number) => boolean

/**
 * Makes a rule of conditions whose shape has been checked. Texts are compared without regard to case. A fact nobody
 * knows is not equal to anything, neither more nor less, and does not contain anything.
 * @throws RE2JSException for a pattern that can not be read
 */
export function ruleOf(group: FilterConditions): Rule {
  const rules = group.conditions.map((one) => (isNested(one) ? ruleOf(one) : testOf(one)))
  return group.operator === 'AND'
    ? (facts, now) => rules.every((rule) => rule(facts, now))
    : (facts, now) => rules.some((rule) => rule(facts, now))
}

function testOf({ field, operator, value }: FilterCondition): Rule {
  const test = testFor(fieldType(field), operator, value)
  const isTurned = field === 'software.notInstalled'
  return (facts, now) => test(facts.read(field), now) !== isTurned
}

type Test = (fact: unknown, now: number) => boolean

function testFor(type: ReturnType<typeof fieldType>, operator: string, value: unknown): Test {
  if (operator === 'isNull') return (fact) => textsIn(fact).length === 0
  if (operator === 'isNotNull') return (fact) => textsIn(fact).length > 0
  if (type === 'number') return compared(operator, value, (fact) => (typeof fact === 'number' ? fact : null))
  if (type === 'datetime') return compared(operator, value, instantIn)
  if (type === 'boolean') return (fact) => (fact === value) === (operator === 'equals')
  // A tag is a whole, not a part of one.
  return onTexts(type === 'array' && operator === 'contains' ? 'hasAny' : operator, value)
}

const instantIn = (fact: unknown) => (typeof fact === 'string' ? Date.parse(fact) : null)
const asNumber = (value: unknown): number => (typeof value === 'string' ? Date.parse(value) : (value as number))

type Span = { amount: number; unit: (typeof timeUnits)[number] }
const unitMs = { minutes: minute, hours: hour, days: day, weeks: 7 * day, months: 30 * day }

function compared(operator: string, value: unknown, numberIn: (fact: unknown) => number | null): Test {
  const test = comparison(operator, value)
  return (fact, now) => {
    const number = numberIn(fact)
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
      const { from, to } = value as { from: unknown; to: unknown }
      const [least, most] = [asNumber(from), asNumber(to)]
      return (number) => number >= least && number <= most
    }
    default: {
      const { amount, unit } = value as Span
      const isWithin = (number: number, now: number) => number >= now - amount * unitMs[unit]
      return operator === 'withinLast' ? isWithin : (number, now) => !isWithin(number, now)
    }
  }
}

/** Of a fact that is one text or several: all there are, in small letters. */
const textsIn = (fact: unknown): string[] =>
  (Array.isArray(fact) ? fact : [fact]).flatMap((one) =>
    one === null || one === undefined || one === '' ? [] : [String(one).toLowerCase()],
  )

const negatives: Record<string, string> = { notEquals: 'equals', notContains: 'contains', notIn: 'in' }

function onTexts(operator: string, value: unknown): Test {
  const positive = negatives[operator]
  if (positive) {
    const test = onTexts(positive, value)
    return (fact, now) => !test(fact, now)
  }
  if (operator === 'matches') {
    const pattern = RE2JS.compile(String(value))
    return (fact) =>
      (Array.isArray(fact) ? fact : [fact]).some((one) => one !== null && pattern.matcher(String(one)).find())
  }
  const wanted = textsIn(value)
  const [first = ''] = wanted
  switch (operator) {
    case 'contains':
      return (fact) => textsIn(fact).some((text) => text.includes(first))
    case 'startsWith':
      return (fact) => textsIn(fact).some((text) => text.startsWith(first))
    case 'endsWith':
      return (fact) => textsIn(fact).some((text) => text.endsWith(first))
    case 'isEmpty':
      return (fact) => textsIn(fact).length === 0
    case 'isNotEmpty':
      return (fact) => textsIn(fact).length > 0
    case 'hasAll':
      return (fact) => {
        const texts = textsIn(fact)
        return wanted.every((text) => texts.includes(text))
      }
    default:
      return (fact) => textsIn(fact).some((text) => wanted.includes(text))
  }
}
