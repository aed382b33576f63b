import { expect, test } from 'vitest'
import { fieldsUsed, fieldType, filterConditions, operatorsOf } from '../../../shared/device-filter.ts'
import { day } from '../../platform/clock.ts'
import { smallTexts } from './facts.ts'
import { filterColumns } from './filter.ts'
import { type Rule, type RuleFacts, ruleOf } from './rule.ts'

const now = Date.parse('2027-05-01T12:00:00.000Z')
const site = '7d0e0c1c-3f5e-4b5e-9a57-1a2b3c4d5e6f'

/** The facts of a device, as `read` returns them. Of its software only the names are known. */
const knownOf = (read: (field: string) => unknown): RuleFacts => {
  const names = smallTexts(read('software.installed'))
  return {
    read,
    texts: (field) => smallTexts(read(field)),
    software: {
      *contains(part) {
        return names.some((name) => name.includes(part))
      },
      *called({ indexed, others }) {
        return new Set([...indexed, ...others].filter((name) => names.includes(name)))
      },
    },
  }
}

/** Runs the rule to its end, ignoring its pauses. */
function decided(rule: Rule, known: RuleFacts): boolean {
  const steps = rule.fits(known, now)
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
  }
}

/** Whether a device with this one fact fits a rule with this one condition. */
function fits(field: string, operator: string, value: unknown, fact: unknown): boolean {
  const conditions = filterConditions.parse({ operator: 'AND', conditions: [{ field, operator, value }] })
  return decided(
    ruleOf(conditions),
    knownOf(() => fact),
  )
}

const cases: [field: string, operator: string, value: unknown, fact: unknown, wanted: boolean][] = [
  ['hostname', 'equals', 'pc-1', 'PC-1', true],
  ['hostname', 'notEquals', 'pc-1', 'pc-1', false],
  ['hostname', 'notEquals', 'pc-1', null, true],
  ['hostname', 'contains', '_', 'pc-1', false],
  ['hostname', 'contains', '%', 'pc%1', true],
  ['hostname', 'startsWith', 'PC', 'pc-1', true],
  ['hostname', 'endsWith', '-1', 'pc-1', true],
  ['hostname', 'notContains', 'srv', 'pc-1', true],
  ['hostname', 'matches', '^pc-\\d+$', 'pc-12', true],
  ['hostname', 'matches', '^pc-\\d+$', 'pc-x', false],
  ['hostname', 'in', ['a', 'PC-1'], 'pc-1', true],
  ['hostname', 'notIn', ['a', 'b'], 'pc-1', true],
  ['lastUser', 'isNull', undefined, null, true],
  ['lastUser', 'isNotNull', undefined, '', false],
  ['hardware.ramTotalMb', 'greaterThan', 8000, 8192, true],
  ['hardware.ramTotalMb', 'greaterThan', 8000, null, false],
  ['hardware.ramTotalMb', 'lessThanOrEquals', 8192, 8192, true],
  ['hardware.ramTotalMb', 'between', { from: 1, to: 10 }, 10, true],
  ['isHeadless', 'equals', true, true, true],
  ['isHeadless', 'equals', false, null, false],
  ['system.rebootRequired', 'equals', 'yes', true, true],
  ['system.rebootRequired', 'equals', 'no', true, false],
  ['lastSeenAt', 'before', '2027-05-01', '2027-04-30T23:59:59.999Z', true],
  ['lastSeenAt', 'withinLast', { amount: 2, unit: 'days' }, new Date(now - day).toISOString(), true],
  ['lastSeenAt', 'notWithinLast', { amount: 2, unit: 'hours' }, new Date(now - day).toISOString(), true],
  ['lastSeenAt', 'notWithinLast', { amount: 2, unit: 'hours' }, null, false],
  ['tags', 'hasAny', ['a', 'b'], ['B'], true],
  ['tags', 'hasAll', ['a', 'b'], ['a'], false],
  ['tags', 'contains', 'serv', ['server'], false],
  ['tags', 'contains', 'server', ['server'], true],
  ['tags', 'isEmpty', undefined, [], true],
  ['software.installed', 'contains', 'office', ['LibreOffice 7'], true],
  ['software.notInstalled', 'contains', 'office', ['LibreOffice 7'], false],
  ['software.notInstalled', 'contains', 'office', [], true],
  ['network.ipAddress', 'startsWith', '10.1.', ['192.168.0.2', '10.1.0.4'], true],
  ['network.ipAddress', 'notContains', '10.', ['192.168.0.2', '10.1.0.4'], false],
  ['custom.cost_center', 'equals', '42', 42, true],
  ['hardware.cpuCores', 'equals', 4, 4, true],
  ['hardware.cpuCores', 'notEquals', 4, null, true],
  ['hardware.cpuCores', 'greaterThanOrEquals', 4, 4, true],
  ['hardware.cpuCores', 'lessThan', 4, 4, false],
  ['hardware.cpuCores', 'isNull', undefined, null, true],
  ['hardware.cpuCores', 'isNotNull', undefined, 0, true],
  ['isHeadless', 'notEquals', true, false, true],
  ['isHeadless', 'isNull', undefined, null, true],
  ['isHeadless', 'isNotNull', undefined, false, true],
  ['enrolledAt', 'equals', '2027-04-30', '2027-04-30T00:00:00.000Z', true],
  ['enrolledAt', 'notEquals', '2027-04-30', '2027-04-30T00:00:00.000Z', false],
  ['enrolledAt', 'after', '2027-04-30', '2027-04-30T00:00:00.001Z', true],
  ['enrolledAt', 'between', { from: '2027-04-01', to: '2027-04-30' }, '2027-04-15T12:00:00.000Z', true],
  ['enrolledAt', 'isNull', undefined, null, true],
  ['enrolledAt', 'isNotNull', undefined, null, false],
  ['tags', 'isNotEmpty', undefined, ['a'], true],
  ['osType', 'equals', 'linux', 'linux', true],
  ['osType', 'notEquals', 'linux', 'macos', true],
  ['osType', 'in', ['linux', 'macos'], 'windows', false],
  ['osType', 'notIn', ['linux', 'macos'], 'windows', true],
  ['software.installed', 'equals', 'office', ['LibreOffice 7'], false],
  ['software.installed', 'notContains', 'office', ['LibreOffice 7'], false],
  ['software.installed', 'in', ['gimp', 'Inkscape'], ['inkscape'], true],
  ['software.installed', 'hasAny', ['gimp', 'inkscape'], ['GIMP'], true],
  ['software.installed', 'hasAll', ['gimp', 'inkscape'], ['GIMP'], false],
  ['siteId', 'equals', site, site, true],
  ['siteId', 'notEquals', site, site, false],
  ['groupId', 'in', [site], [site], true],
  ['groupId', 'notIn', [site], [], true],
]

test.each(cases)('the condition %s %s %j on the fact %j is %s', (field, operator, value, fact, wanted) => {
  expect(fits(field, operator, value, fact)).toBe(wanted)
})

test('the cases above cover every operator of every field type', () => {
  for (const [type, operators] of Object.entries(operatorsOf)) {
    const tried = new Set(cases.filter(([field]) => fieldType(field) === type).map(([, operator]) => operator))
    expect([...tried].sort(), type).toEqual([...operators].sort())
  }
})

test('nested conditions are evaluated, and fieldsUsed lists each field once', () => {
  const inner = { operator: 'OR', conditions: [{ field: 'tags', operator: 'isEmpty' }] }
  const conditions = filterConditions.parse({
    operator: 'AND',
    conditions: [inner, { field: 'osType', operator: 'equals', value: 'linux' }, inner],
  })
  expect(fieldsUsed(conditions)).toEqual(['tags', 'osType'])
  const facts = (osType: string) => knownOf((field) => (field === 'tags' ? [] : osType))
  expect(['linux', 'windows'].map((os) => decided(ruleOf(conditions), facts(os)))).toEqual([true, false])
})

const and = (...conditions: unknown[]) => ({ operator: 'AND', conditions })
const name = { field: 'hostname', operator: 'equals', value: 'x' }

test.each([
  [and(), 'conditions'],
  [{ operator: 'XOR', conditions: [name] }, 'operator'],
  [and({ ...name, field: 'hostnam' }), 'conditions.0.field'],
  [and({ ...name, field: '__proto__' }), 'conditions.0.field'],
  [and({ ...name, field: 'custom.Bad Key' }), 'conditions.0.field'],
  [and({ ...name, field: 'patches.pending' }), 'conditions.0.field'],
  [and({ ...name, operator: 'greaterThan' }), 'conditions.0.operator'],
  [and({ ...name, value: 7 }), 'conditions.0.value'],
  [and({ ...name, operator: 'in', value: 'x' }), 'conditions.0.value'],
  [and({ ...name, operator: 'matches', value: 'x'.repeat(251) }), 'conditions.0.value'],
  [and(and(and(and(and(and(name)))))), 'conditions.0.conditions.0.conditions.0.conditions.0.conditions.0.field'],
])('%j is refused with group_filter_invalid and the path of the error', (filter, path) => {
  expect(() => filterColumns(filter)).toThrow(
    expect.objectContaining({
      code: 'group_filter_invalid',
      extra: { details: { formErrors: [], fieldErrors: { [path]: [expect.any(String)] } } },
    }),
  )
})

// A pattern that backtracks would not end before the time limit of the test.
test('an invalid pattern is refused, and one with catastrophic backtracking still terminates', () => {
  const pattern = (value: string) => and({ ...name, operator: 'matches', value })
  expect(() => filterColumns(pattern('('))).toThrow(expect.objectContaining({ code: 'group_filter_invalid' }))
  expect(fits('hostname', 'matches', '^(a+)+$', `${'a'.repeat(250)}!`)).toBe(false)
})

const matching = (...patterns: string[]) =>
  and(...patterns.map((value) => ({ field: 'hostname', operator: 'matches', value })))

test.each([
  ['repeats by number', matching('(a?){1000}'.repeat(25))],
  ['repeats of repeats', matching(`${'('.repeat(9)}a?${'){2}'.repeat(9)}`.repeat(3))],
  ['many that repeat a little', matching(...Array.from({ length: 60 }, () => 'a{2}'))],
  ['many letters', matching(...Array.from({ length: 3 }, () => 'x'.repeat(200)))],
  ['patterns far below', and(and(and(matching('(a?){1000}'))))],
])('a rule whose patterns are too expensive is refused: %s', (_, filter) => {
  expect(() => filterColumns(filter)).toThrow(expect.objectContaining({ code: 'group_filter_invalid' }))
})

test('ordinary patterns are accepted', () => {
  const address = String.raw`^(\d{1,3}\.){3}\d{1,3}$`
  const several = matching(
    String.raw`^SRV-\d{3}`,
    address,
    '^[A-Z]{2}-[0-9]{4}-[a-z]{8}$',
    '^([0-9a-f]{2}:){5}[0-9a-f]{2}$',
  )
  expect(filterColumns(several).filter_fields_used).toBe('["hostname"]')
})

test('a long custom field is searched with pauses', () => {
  const condition = { field: 'custom.note', operator: 'contains', value: `ab${'a'.repeat(900)}` }
  const rule = ruleOf(filterConditions.parse({ operator: 'AND', conditions: [condition] }))
  const steps = rule.fits(
    knownOf(() => 'a'.repeat(64_000)),
    now,
  )
  let pauses = 0
  let step = steps.next()
  for (; !step.done; step = steps.next()) pauses++
  expect([step.value, pauses > 5]).toEqual([false, true])
})
