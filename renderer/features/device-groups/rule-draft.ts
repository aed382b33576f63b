import {
  type FilterCondition,
  type FilterConditions,
  fieldType,
  filterConditions,
  isNested,
  type Operator,
  operatorsOf,
} from '../../../shared/device-filter.ts'

export interface ConditionDraft {
  key: number
  field: string
  operator: Operator
  value: unknown
}
/** A nested group of conditions. */
export interface GroupDraft {
  key: number
  join: FilterConditions['operator']
  items: (ConditionDraft | UnknownDraft)[]
}
/** Nested deeper than the page can show; kept unchanged. */
export interface UnknownDraft {
  key: number
  unknown: FilterConditions
}
export interface RuleDraft {
  join: FilterConditions['operator']
  items: (ConditionDraft | GroupDraft)[]
}
export type ItemDraft = ConditionDraft | GroupDraft | UnknownDraft

let lastKey = 0
const nextKey = () => ++lastKey

export const newCondition = (): ConditionDraft => ({
  key: nextKey(),
  field: 'hostname',
  operator: 'contains',
  value: undefined,
})
export const newConditionGroup = (): GroupDraft => ({
  key: nextKey(),
  join: 'OR',
  items: [newCondition(), newCondition()],
})
export const newRule = (): RuleDraft => ({ join: 'AND', items: [newCondition()] })

const draftOf = ({ field, operator, value }: FilterCondition): ConditionDraft => ({
  key: nextKey(),
  field,
  operator,
  value,
})

export function draftFrom({ operator, conditions }: FilterConditions): RuleDraft {
  const nest = (one: FilterConditions): GroupDraft => ({
    key: nextKey(),
    join: one.operator,
    items: one.conditions.map((inner) => (isNested(inner) ? { key: nextKey(), unknown: inner } : draftOf(inner))),
  })
  return { join: operator, items: conditions.map((one) => (isNested(one) ? nest(one) : draftOf(one))) }
}

/** Number of conditions. */
export const sizeOf = ({ items }: { items: readonly ItemDraft[] }): number =>
  items.reduce((sum, item) => sum + ('items' in item ? sizeOf(item) : 1), 0)

/** The rule as it is sent, complete or not. */
export const ruleOfDraft = ({ join, items }: Pick<RuleDraft, 'join'> & { items: readonly ItemDraft[] }): object => ({
  operator: join,
  conditions: items.map((item) => {
    if ('unknown' in item) return item.unknown
    if ('items' in item) return ruleOfDraft(item)
    const { field, operator, value } = item
    return value === undefined || !takesValue(operator) ? { field, operator } : { field, operator, value }
  }),
})

const valueless: Operator[] = ['isNull', 'isNotNull', 'isEmpty', 'isNotEmpty']
export const takesValue = (operator: Operator): boolean => !valueless.includes(operator)

/** The rule, or its errors by path, such as `conditions.0.value`. */
export function validateRule(draft: RuleDraft): {
  rule: FilterConditions | null
  problems: ReadonlyMap<string, string>
} {
  const { data, error } = filterConditions.safeParse(ruleOfDraft(draft))
  const problems = new Map(error?.issues.map(({ path, message }) => [path.join('.'), message]))
  return { rule: data ?? null, problems }
}

/** A new field keeps the operator and value if they apply to it. */
export function withField(item: ConditionDraft, field: string): ConditionDraft {
  const type = fieldType(field) ?? 'string'
  const operators: readonly Operator[] = operatorsOf[type]
  const isSame = type === fieldType(item.field) && type !== 'enum' && type !== 'reference'
  const operator = operators.includes(item.operator) ? item.operator : (operators[0] as Operator)
  return { ...item, field, operator, value: isSame && operator === item.operator ? item.value : undefined }
}

const shapeOf = (operator: Operator) => {
  if (operator === 'between') return 'range'
  if (operator === 'withinLast' || operator === 'notWithinLast') return 'span'
  return ['in', 'notIn', 'hasAny', 'hasAll'].includes(operator) ? 'list' : 'single'
}

/** A new operator keeps the value if it takes one of the same kind. */
export function withOperator(item: ConditionDraft, operator: Operator): ConditionDraft {
  const [before, after] = [shapeOf(item.operator), shapeOf(operator)]
  const value =
    before === after
      ? item.value
      : before === 'single' && after === 'list' && item.value
        ? [item.value]
        : before === 'list' && after === 'single'
          ? (item.value as unknown[] | undefined)?.[0]
          : undefined
  return { ...item, operator, value }
}
