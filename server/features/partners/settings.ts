import { isObject } from '../../../shared/objects.ts'

export type Json = Record<string, unknown>

/** Groups of settings that are merged key by key; everything else is one value and replaced as a whole. */
const mergedGroups = new Set(['contact', 'address', 'businessHours', 'security', 'security.allowedMfaMethods'])

/** What is stored after `sent`: keys it does not name stay as they are, also those no schema knows. */
export function mergeSettings(stored: Json, sent: Json, group = ''): Json {
  const merged = { ...stored }
  for (const [key, value] of Object.entries(sent)) {
    const path = group === '' ? key : `${group}.${key}`
    const before = stored[key]
    merged[key] =
      mergedGroups.has(path) && isObject(value) ? mergeSettings(isObject(before) ? before : {}, value, path) : value
  }
  return merged
}
