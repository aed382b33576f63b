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
