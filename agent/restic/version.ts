import { run } from '../tool.ts'

/** The oldest that is driven. */
const oldest = [0, 14, 0] as const

/** Of a restic program, such as `0.14.0`; null when it is none, or too old. */
export async function resticVersion(file: string): Promise<string | null> {
  const said = await run(file, ['version']).catch(() => '')
  const version = /^restic (\d+\.\d+\.\d+)/.exec(said)?.[1]
  return version && isAtLeast(version, oldest) ? version : null
}

export function isAtLeast(version: string, wanted: readonly number[]): boolean {
  const parts = version.split('.').map(Number)
  for (const [at, number] of wanted.entries()) {
    const part = parts[at] ?? 0
    if (part !== number) return part > number
  }
  return true
}
