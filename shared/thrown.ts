import { isRecord } from './objects.ts'

/** What was thrown, as an error: JavaScript lets anything be thrown. */
export const toError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)))

/** The `code` of an error of Node or SQLite, such as `ENOENT`; of several errors in one that of the first. */
export function errorCode(thrown: unknown): string | undefined {
  if (thrown instanceof AggregateError) return errorCode(thrown.errors[0])
  return isRecord(thrown) && typeof thrown.code === 'string' ? thrown.code : undefined
}
