import { ianaTimeZone } from '../../../shared/fields.ts'

/** The first of these that is a time zone; UTC when none is. */
export function firstTimeZone(candidates: readonly unknown[]): string {
  for (const candidate of candidates) {
    const zone = ianaTimeZone.safeParse(candidate)
    if (zone.success) return zone.data
  }
  return 'UTC'
}
