/** Reads a variable; the empty string counts as unset. Nobody else touches the environment. */
export const readEnv = (env: NodeJS.ProcessEnv, name: string): string | undefined => env[name]?.trim() || undefined

const yes = new Set(['1', 'true', 'yes', 'on'])
const no = new Set(['0', 'false', 'no', 'off'])

export function readFlag(env: NodeJS.ProcessEnv, name: string, otherwise: boolean): boolean {
  const text = readEnv(env, name)?.toLowerCase()
  if (text === undefined) return otherwise
  if (yes.has(text)) return true
  if (no.has(text)) return false
  throw new Error(`${name} must be one of 1, true, yes, on, 0, false, no, off; it is "${text}"`)
}

export function readNumber(env: NodeJS.ProcessEnv, name: string, otherwise: number, min: number, max: number): number {
  const text = readEnv(env, name)
  if (text === undefined) return otherwise
  const number = Number(text)
  if (!Number.isInteger(number) || number < min || number > max)
    throw new Error(`${name} must be a whole number from ${min} to ${max}; it is "${text}"`)
  return number
}

/** As the tenant tree's variables are known elsewhere: what is no number from `min` to `max` counts as unset. */
export function readNumberLeniently(
  env: NodeJS.ProcessEnv,
  name: string,
  otherwise: number,
  min: number,
  max = 2 ** 31 - 1,
): number {
  const number = Number(readEnv(env, name) ?? Number.NaN)
  return Number.isInteger(number) && number >= min && number <= max ? number : otherwise
}

export function readChoice<T extends string>(
  env: NodeJS.ProcessEnv,
  name: string,
  choices: readonly T[],
  otherwise: T,
): T {
  const text = readEnv(env, name)
  if (text === undefined) return otherwise
  const found = choices.find((choice) => choice === text)
  if (!found) throw new Error(`${name} must be one of ${choices.join(', ')}; it is "${text}"`)
  return found
}
