import type { ResticEnd } from './restic-run.ts'

/** Why restic did nothing, as far as it matters what is done next. */
export type Refusal = 'no-repository' | 'wrong-password' | 'locked' | 'other'

/** Newer versions say it by their exit code, older ones by their words only. */
export function refusalOf({ code, stderr }: ResticEnd): Refusal {
  if (code === 10 || /unable to open config file|Is there a repository at the following location/.test(stderr))
    return 'no-repository'
  if (code === 12 || /wrong password or no key found/.test(stderr)) return 'wrong-password'
  if (code === 11 || /repository is already locked|already locked exclusively|unable to create lock/.test(stderr))
    return 'locked'
  return 'other'
}

/** What it said last, without addresses that may carry credentials. */
export function reasonFrom({ code, signal, stderr }: ResticEnd): string {
  const said = stderr
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .slice(-3)
    .join(' ')
    .replace(/^Fatal: /, '')
  return withoutCredentials(said || (signal ? `restic was ended by ${signal}` : `restic ended with code ${code}`))
}

export const withoutCredentials = (text: string): string => text.replace(/(\w+:\/\/)[^\s/@]+@/g, '$1')
