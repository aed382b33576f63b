import { z } from 'zod'
import { deviceRole, osType } from './device/inventory.ts'
import { uuid } from './fields.ts'
import { isRecord } from './objects.ts'

/** The language of dynamic groups: which fields a rule may look at, and how. */

export const operatorsOf = {
  string: [
    'equals',
    'notEquals',
    'contains',
    'notContains',
    'startsWith',
    'endsWith',
    'matches',
    'in',
    'notIn',
    'isNull',
    'isNotNull',
  ],
  number: [
    'equals',
    'notEquals',
    'greaterThan',
    'greaterThanOrEquals',
    'lessThan',
    'lessThanOrEquals',
    'between',
    'isNull',
    'isNotNull',
  ],
  boolean: ['equals', 'notEquals', 'isNull', 'isNotNull'],
  datetime: ['equals', 'notEquals', 'before', 'after', 'between', 'withinLast', 'notWithinLast', 'isNull', 'isNotNull'],
  array: ['hasAny', 'hasAll', 'isEmpty', 'isNotEmpty', 'contains'],
  enum: ['equals', 'notEquals', 'in', 'notIn'],
  /** Whether something on a list has a name. */
  presence: ['equals', 'contains', 'notContains', 'in', 'hasAny', 'hasAll'],
  /** One of the ids that a device is filed under. */
  reference: ['equals', 'notEquals', 'in', 'notIn'],
} as const
export type FieldType = keyof typeof operatorsOf
export type Operator = (typeof operatorsOf)[FieldType][number]

interface Field {
  type: FieldType
  values?: readonly string[]
}
const string: Field = { type: 'string' }
const number: Field = { type: 'number' }
const boolean: Field = { type: 'boolean' }
const datetime: Field = { type: 'datetime' }
const reference: Field = { type: 'reference' }

export const filterFields = {
  hostname: string,
  displayName: string,
  status: { type: 'enum', values: ['online', 'offline', 'updating', 'maintenance', 'pending', 'quarantined'] },
  agentVersion: string,
  enrolledAt: datetime,
  lastSeenAt: datetime,
  tags: { type: 'array' },
  deviceRole: { type: 'enum', values: deviceRole.options },
  lastUser: string,
  isHeadless: boolean,
  uptimeSeconds: number,
  watchdogStatus: string,
  osType: { type: 'enum', values: osType.options },
  osVersion: string,
  osBuild: string,
  architecture: string,
  'hardware.manufacturer': string,
  'hardware.model': string,
  'hardware.serialNumber': string,
  'hardware.cpuModel': string,
  'hardware.cpuCores': number,
  'hardware.ramTotalMb': number,
  'hardware.diskTotalGb': number,
  'hardware.gpuModel': string,
  'network.ipAddress': string,
  'network.publicIp': string,
  'network.macAddress': string,
  'metrics.cpuPercent': number,
  'metrics.ramPercent': number,
  'metrics.diskPercent': number,
  'software.installed': { type: 'presence' },
  'software.notInstalled': { type: 'presence' },
  'system.rebootRequired': boolean,
  orgId: reference,
  siteId: reference,
  groupId: reference,
  daysSinceLastSeen: number,
  daysSinceEnrolled: number,
} as const satisfies Record<string, Field>
export type FilterField = keyof typeof filterFields
/** Custom fields are not among them. */
export const isFilterField = (field: string): field is FilterField => Object.hasOwn(filterFields, field)

/** Of the public API; the appliance has nothing yet that would tell them. */
const unknownHere = new Set(['patches.pending', 'alerts.critical'])

export interface FilterCondition {
  /** A filter field, or a custom one such as `custom.room`. */
  field: string
  operator: Operator
  value?: unknown
}
export interface FilterConditions {
  operator: 'AND' | 'OR'
  conditions: (FilterCondition | FilterConditions)[]
}

export const isNested = (one: FilterCondition | FilterConditions): one is FilterConditions => 'conditions' in one

export const fieldType = (field: string): FieldType | undefined =>
  /^custom\.[a-z][a-z0-9_]{0,99}$/.test(field) ? 'string' : isFilterField(field) ? filterFields[field].type : undefined

/** What a field can hold, if that is a list of words. */
export function fieldValues(field: string): readonly string[] | undefined {
  const known: Field | undefined = isFilterField(field) ? filterFields[field] : undefined
  return known?.values
}

const text = z.string().min(1).max(1000)
const texts = z.array(text).min(1).max(500)
const instant = z.union([z.iso.datetime({ offset: true }), z.iso.date()])
const yesOrNo = z.union([z.boolean(), z.enum(['yes', 'no']).transform((word) => word === 'yes')])
export const timeUnits = ['minutes', 'hours', 'days', 'weeks', 'months'] as const
/** The operand of `withinLast`. */
export const timeSpan = z.object({ amount: z.number().positive().max(100_000), unit: z.enum(timeUnits) })
const range = <Value extends z.ZodType>(value: Value) => z.object({ from: value, to: value })

const single: Record<FieldType, z.ZodType> = {
  string: text,
  number: z.number(),
  boolean: yesOrNo,
  datetime: instant,
  array: text,
  enum: text,
  presence: text,
  reference: uuid,
}

/** What an operator compares with; nothing for those that only look whether there is something. */
function operand(type: FieldType, operator: Operator): z.ZodType | null {
  switch (operator) {
    case 'isNull':
    case 'isNotNull':
    case 'isEmpty':
    case 'isNotEmpty':
      return null
    case 'in':
    case 'notIn':
    case 'hasAny':
    case 'hasAll':
      return type === 'reference' ? z.array(uuid).min(1).max(500) : texts
    case 'between':
      return range(single[type])
    case 'withinLast':
    case 'notWithinLast':
      return timeSpan
    case 'matches':
      return z.string().min(1).max(250)
    default:
      return single[type]
  }
}

const condition = z
  .object({ field: z.string().max(120), operator: z.string().max(30), value: z.unknown().optional() })
  .transform((raw, context): FilterCondition => {
    const refuse = (path: string, message: string) => {
      context.addIssue({ code: 'custom', path: [path], message })
      return z.NEVER
    }
    const type = fieldType(raw.field)
    if (unknownHere.has(raw.field)) return refuse('field', `This appliance does not know ${raw.field}`)
    if (!type) return refuse('field', `Unknown field: ${raw.field}`)
    const operator = operatorsOf[type].find((one) => one === raw.operator)
    if (!operator) return refuse('operator', `Operator ${raw.operator} is not valid for ${raw.field}`)
    const { field } = raw
    const schema = operand(type, operator)
    if (!schema) return { field, operator }
    const value = schema.safeParse(raw.value)
    if (!value.success) return refuse('value', value.error.issues[0]?.message ?? 'Invalid value')
    return { field, operator, value: value.data }
  })

const nested = (depth: number): z.ZodType<FilterConditions> =>
  z.object({
    operator: z.enum(['AND', 'OR']),
    conditions: z
      .array(depth > 1 ? z.unknown().transform((one, context) => parseEither(one, depth - 1, context)) : condition)
      .min(1, 'Give at least one condition')
      .max(100),
  })

const isGroup = (one: unknown): one is { conditions: unknown } =>
  typeof one === 'object' && one !== null && 'conditions' in one

/** A group or a condition, and what is wrong with it as that, not as either of both. */
function parseEither(one: unknown, depth: number, context: z.RefinementCtx): FilterCondition | FilterConditions {
  const parsed = (isGroup(one) ? nested(depth) : condition).safeParse(one)
  if (parsed.success) return parsed.data
  for (const { path, message } of parsed.error.issues) context.addIssue({ code: 'custom', path, message })
  return z.NEVER
}

/** Of a whole rule, groups of conditions included. */
export const maxConditions = 100
/** Of those that take long: a device has thousands of software names, and a pattern goes through a text letter by letter. */
export const maxSlowConditions = 20

interface Placed {
  condition: unknown
  path: (string | number)[]
}

/** Every condition in what may be a rule, and every group of them. */
function* conditionsIn(group: unknown, path: Placed['path'] = []): Generator<Placed> {
  if (!isGroup(group) || !Array.isArray(group.conditions)) return
  for (const [index, condition] of group.conditions.entries()) {
    const at = [...path, 'conditions', index]
    yield { condition, path: at }
    yield* conditionsIn(condition, at)
  }
}

const slow = {
  pattern: { at: 'operator', message: `A rule can have at most ${maxSlowConditions} patterns` },
  software: {
    at: 'field',
    message: `A rule can look at software in at most ${maxSlowConditions} conditions; one of them can name several`,
  },
}

function slownessOf(condition: unknown): keyof typeof slow | null {
  const { field, operator } = isRecord(condition) ? condition : { field: undefined, operator: undefined }
  if (operator === 'matches') return 'pattern'
  return typeof field === 'string' && fieldType(field) === 'presence' ? 'software' : null
}

/** The first condition above a limit, found before conditions are parsed, because parsing thousands takes long. */
function excessIn(rule: unknown): { path: Placed['path']; message: string } | null {
  const counts = { all: 0, pattern: 0, software: 0 }
  for (const { condition, path } of conditionsIn(rule)) {
    if (++counts.all > maxConditions) return { path, message: `A rule can have at most ${maxConditions} conditions` }
    const kind = slownessOf(condition)
    if (kind && ++counts[kind] > maxSlowConditions)
      return { path: [...path, slow[kind].at], message: slow[kind].message }
  }
  return null
}

export const filterConditions: z.ZodType<FilterConditions> = z
  .unknown()
  .superRefine((rule, context) => {
    const excess = excessIn(rule)
    if (excess) context.addIssue({ code: 'custom', ...excess })
  })
  .pipe(nested(5))

export const fieldsUsed = (group: FilterConditions): string[] => [
  ...new Set(group.conditions.flatMap((one) => (isNested(one) ? fieldsUsed(one) : [one.field]))),
]
