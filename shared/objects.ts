/** Whether a value has keys; a list has them, too. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** Whether a value is an object as JSON means it, not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> => isRecord(value) && !Array.isArray(value)

/** The keys of an object that has no others than its type says. */
export const keysOf = <Of extends object>(of: Of): (keyof Of & string)[] => Object.keys(of) as (keyof Of & string)[]
