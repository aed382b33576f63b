import { isObject } from '../../shared/objects.ts'

/** Changed values as the server merges them: settings and their groups by key, everything below as a whole. */
export function changedValues<Values extends object>(values: Values, stored: Values, levels = 2): Partial<Values> {
  const changes = Object.entries(values).flatMap(([key, value]): [string, unknown][] => {
    const before = (stored as Record<string, unknown>)[key]
    if (levels > 1 && isObject(value) && isObject(before)) {
      const within = changedValues(value, before, levels - 1)
      return Object.keys(within).length > 0 ? [[key, within]] : []
    }
    return JSON.stringify(value) === JSON.stringify(before) ? [] : [[key, value]]
  })
  return Object.fromEntries(changes) as Partial<Values>
}
