import { expect, test } from 'vitest'
import { type FilterConditions, fieldType, filterFields } from '../../../shared/device-filter.ts'
import {
  type ConditionDraft,
  draftFrom,
  newConditionGroup,
  newRule,
  type RuleDraft,
  ruleOfDraft,
  sizeOf,
  validateRule,
  withField,
  withOperator,
} from './rule-draft.ts'
import { fieldGroups, isFieldFor, ruleText } from './rule-labels.ts'

const deep: FilterConditions = {
  operator: 'AND',
  conditions: [
    { field: 'hostname', operator: 'startsWith', value: 'pc-' },
    { field: 'custom.cost_centre', operator: 'isNull' },
    {
      operator: 'OR',
      conditions: [
        { field: 'osType', operator: 'in', value: ['windows', 'linux'] },
        {
          operator: 'AND',
          conditions: [
            { field: 'lastSeenAt', operator: 'withinLast', value: { amount: 3, unit: 'days' } },
            { operator: 'OR', conditions: [{ field: 'isHeadless', operator: 'equals', value: true }] },
          ],
        },
      ],
    },
  ],
}

test('a rule is the same after a round trip through its draft, also beside a changed condition', () => {
  const draft = draftFrom(deep)
  expect(ruleOfDraft(draft)).toEqual(deep)
  const [first, ...rest] = draft.items as [ConditionDraft, ...RuleDraft['items']]
  const changed = ruleOfDraft({ ...draft, items: [{ ...first, value: 'srv-' }, ...rest] }) as FilterConditions
  expect(changed.conditions.slice(1)).toEqual(deep.conditions.slice(1))
  expect(validateRule(draft)).toEqual({ rule: deep, problems: new Map() })
})

test('a missing value is reported with its path', () => {
  const { rule, problems } = validateRule(newRule())
  expect(rule).toBeNull()
  expect([...problems.keys()]).toEqual(['conditions.0.value'])
  const nested: RuleDraft = {
    join: 'AND',
    items: [{ key: 1, join: 'OR', items: newRule().items }] as RuleDraft['items'],
  }
  expect([...validateRule(nested).problems.keys()]).toEqual(['conditions.0.conditions.0.value'])
  expect([...validateRule({ join: 'AND', items: [] }).problems.keys()]).toEqual(['conditions'])
})

const item = (field: string, operator: ConditionDraft['operator'], value: unknown): ConditionDraft => ({
  key: 1,
  field,
  operator,
  value,
})

test('another field or operator keeps the operator and value that still fit, and no others', () => {
  expect(withField(item('hostname', 'contains', 'x'), 'displayName')).toMatchObject({
    operator: 'contains',
    value: 'x',
  })
  expect(withField(item('hostname', 'contains', 'x'), 'osType')).toMatchObject({ operator: 'equals', value: undefined })
  expect(withField(item('siteId', 'equals', 'a'), 'groupId').value).toBeUndefined()
  expect(withOperator(item('hostname', 'equals', 'x'), 'in').value).toEqual(['x'])
  expect(withOperator(item('hostname', 'in', ['x', 'y']), 'equals').value).toBe('x')
  expect(withOperator(item('lastSeenAt', 'withinLast', { amount: 1, unit: 'days' }), 'before').value).toBeUndefined()
})

test('a value is not sent where the operator takes none', () => {
  expect(ruleOfDraft({ join: 'AND', items: [withOperator(item('hostname', 'equals', 'x'), 'isNull')] })).toEqual({
    operator: 'AND',
    conditions: [{ field: 'hostname', operator: 'isNull' }],
  })
})

test('every filter field is offered except the organization, which is always the same', () => {
  const offered = fieldGroups.flatMap(({ fields }) => Object.keys(fields))
  expect(offered.toSorted()).toEqual(
    Object.keys(filterFields)
      .filter((field) => field !== 'orgId')
      .toSorted(),
  )
  expect(offered.every((field) => fieldType(field))).toBe(true)
})

test('a rule reads as a sentence', () => {
  const places: FilterConditions = {
    operator: 'OR',
    conditions: [
      { field: 'siteId', operator: 'in', value: ['a', 'b'] },
      { field: 'groupId', operator: 'equals', value: 'c' },
    ],
  }
  const names = [
    { id: 'a', name: 'Branch' },
    { id: 'c', name: 'Tills' },
  ]
  expect(ruleText(places, names)).toBe('Site is one of Branch, b or Group is Tills')
  expect(ruleText(deep)).toBe(
    'Hostname starts with pc- and Custom field cost_centre is unknown and (Operating system is one of Windows, Linux or ' +
      '(Last seen is within the last 3 days and (Headless is yes)))',
  )
})

test('a field is found by the beginnings of its words and of other words for it', () => {
  const found = (search: string) =>
    fieldGroups.flatMap(({ fields }) => Object.keys(fields)).filter((field) => isFieldFor(search, field))
  expect(found('os')).toEqual(['osType', 'osVersion', 'osBuild'])
  expect(found('sys')).toEqual(['osType'])
  expect(found('RAM')).toEqual(['hardware.ramTotalMb', 'metrics.ramPercent'])
  expect(found('')).toHaveLength(fieldGroups.flatMap(({ fields }) => Object.keys(fields)).length)
})

test('conditions are counted however deep they are', () => {
  const rule = newRule()
  expect(sizeOf(rule)).toBe(1)
  expect(sizeOf({ ...rule, items: [...rule.items, newConditionGroup()] })).toBe(3)
})
