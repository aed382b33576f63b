import { isObject } from '../../../shared/objects.ts'

/** A changed field. */
export interface Change {
  field: string
  /** Old and new value; null where the log only records that it changed. */
  values: { before: unknown; after: unknown } | null
}

type Details = Record<string, unknown>

/** Changed fields of an event: from `before` and `after`, from `previousName` next to `name`, or only their names. */
export function changesOf(details: Details): Change[] {
  const { before, after, changedFields } = details
  const changes = new Map<string, Change>()
  const add = (field: string, values: Change['values']) => {
    if (!changes.has(field)) changes.set(field, { field, values })
  }
  const [old, now] = [before, after].map((side) => (isObject(side) ? side : {})) as [Details, Details]
  for (const field of Object.keys({ ...old, ...now }))
    if (JSON.stringify(old[field]) !== JSON.stringify(now[field])) add(field, { before: old[field], after: now[field] })
  for (const [name, value] of Object.entries(details)) {
    const field = name.replace(/^previous([A-Z])/, (_, letter: string) => letter.toLowerCase())
    if (field !== name && field in details && value !== details[field])
      add(field, { before: value, after: details[field] })
  }
  if (Array.isArray(changedFields)) for (const field of changedFields) add(String(field), null)
  // A field shown by name is not repeated by id.
  return [...changes.values()].filter(({ field }) => {
    const name = field.replace(/Id(?=s?$)/, 'Name')
    return name === field || !changes.has(name)
  })
}

/** Other details of an event, in lines. Ids are left out: the raw record has them. */
export function otherDetails(details: Details): [name: string, lines: string[]][] {
  const shownFields = new Set(changesOf(details).flatMap(({ field }) => [field, previous(field)]))
  const isOwn = (name: string) => !['before', 'after', 'changedFields'].includes(name) && !shownFields.has(name)
  return Object.entries(details)
    .filter(([name]) => isOwn(name) && !/Ids?$|^id$/.test(name))
    .map(([name, value]): [string, string[]] => [name, linesOf(value)])
    .filter(([, lines]) => lines.length > 0)
}

const previous = (field: string) => `previous${field.charAt(0).toUpperCase()}${field.slice(1)}`

/** A value in lines, one per entry of a list. */
export function linesOf(value: unknown): string[] {
  if (value === undefined || value === null || value === '') return []
  if (Array.isArray(value)) return value.flatMap(linesOf)
  if (typeof value === 'boolean') return [value ? 'Yes' : 'No']
  return [isObject(value) ? JSON.stringify(value) : String(value)]
}
