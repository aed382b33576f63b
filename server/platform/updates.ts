import { AppError } from './errors.ts'

/**
 * The fields an update names, as its audit event lists them.
 * @throws AppError `no_updates` when it names none
 */
export function changedFieldsOf(wanted: object): string[] {
  const named = Object.entries(wanted).filter(([, value]) => value !== undefined)
  if (named.length === 0) throw new AppError('no_updates')
  return named.map(([field]) => field)
}

/** The fields whose values differ after an update. */
export function differing(before: object, after: object): string[] {
  const old = new Map(Object.entries(before))
  return Object.entries(after).flatMap(([field, value]) =>
    JSON.stringify(value) === JSON.stringify(old.get(field)) ? [] : [field],
  )
}

/** Characters of what is kept of one field; the log is no place for a second copy of what may be long. */
const longest = 5_000

/**
 * The details of an update for its audit event: the fields with their old and new values; of `siteId`
 * also `siteName`, of `orgIds` also `orgNames`, where both views have them. For long or nested values,
 * such as settings, only that they changed.
 */
export function changeOf(changedFields: readonly string[], before: object, after: object) {
  const [old, now] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const told = changedFields
    .flatMap((field) => [...new Set([field, field.replace(/Id(?=s?$)/, 'Name')])])
    .filter((field) => [old, now].every((values) => isPlain(values.get(field))))
  const only = (values: Map<string, unknown>) => Object.fromEntries(told.map((field) => [field, values.get(field)]))
  return { changedFields, ...(told.length > 0 && { before: only(old), after: only(now) }) }
}

const isPlain = (value: unknown): boolean =>
  value !== undefined &&
  [value].flat().every((one) => one === null || typeof one !== 'object') &&
  JSON.stringify(value).length <= longest
