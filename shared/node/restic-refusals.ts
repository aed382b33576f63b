/** How a run of restic ended. */
export interface ResticEnd {
  /** Null when it was ended by a signal. */
  code: number | null
  signal: NodeJS.Signals | null
  /** The last of what it said. */
  stderr: string
}

/** Why restic did nothing, as far as it matters what is done next. */
export type Refusal =
  | 'no-repository'
  | 'wrong-password'
  | 'locked'
  | 'not-admitted'
  | 'unreachable'
  | 'full'
  | 'read-only'
  | 'other'

/** The storage was reached and refuses who asks. */
const notAdmitted = /\b40[13]\b|(access|permission) denied|forbidden|unauthorized|host key verification failed/i
/** Said of a file that restic looked for, by each kind of storage in its own words. */
const absent =
  /no such file|does(n't| not) exist|cannot find the (file|path)|not found|NoSuchKey|\b404\b|key does not exist/i
/** As the network library of restic says it. */
const cutOff =
  /connection (refused|reset)|no route to host|(network|host) is (unreachable|down)|no such host|i\/o timeout|TLS handshake timeout|broken pipe|server closed idle connection|unexpected EOF|: EOF\b|HTTP response \(50[234]\)/
/** As ssh says it. */
const noSshServer = /^ssh: (connect to host|could not resolve)/im
const full = /\b507\b|no space left on device|not enough space|disk quota exceeded|quota ?exceeded/i
const readOnly = /read-only file system/i

export const isFull = (said: string): boolean => full.test(said)
export const isReadOnly = (said: string): boolean => readOnly.test(said)
/** What it says in the end, after what it has tried again. */
const lastWords = /^(Fatal|error|unable)\b.*/gim
const triedAgain = /returned error, retrying after/

/** A cause, where in restic it came up, and what came of it: the last without the second, in one line. */
const traced = /^(.*)\n(?:\S.*\n\t\S+\.(?:go|s):\d+\n)+(.*)$/gm
const withoutTraces = (stderr: string): string => stderr.replace(traced, '$2: $1')

/** Newer versions say it by their exit code, older ones by their words only. */
export function refusalOf({ code, stderr: said }: ResticEnd): Refusal {
  const stderr = withoutTraces(said)
  if (code === 10) return 'no-repository'
  if (code === 12 || /wrong password or no key found/.test(stderr)) return 'wrong-password'
  if (code === 11 || /repository is already locked|already locked exclusively/.test(stderr)) return 'locked'
  const cause = /unable to open config file: (.*)/.exec(stderr)?.[1]
  if (cause !== undefined && absent.test(cause)) return 'no-repository'
  if (notAdmitted.test(cause ?? stderr)) return 'not-admitted'
  const last = stderr.match(lastWords)?.at(-1) ?? stderr
  if (isFull(last)) return 'full'
  if (isReadOnly(last)) return 'read-only'
  return cutOff.test(last) || noSshServer.test(stderr) ? 'unreachable' : 'other'
}

const words: Record<Exclude<Refusal, 'not-admitted' | 'other'>, string> = {
  // One that should be there and is not is not made anew: a share may not be mounted.
  'no-repository': 'The repository is not there. Is the storage connected?',
  'wrong-password': 'Repository key rejected',
  locked: 'Repository is locked by another operation',
  unreachable: 'The storage could not be reached',
  full: 'The storage is full',
  'read-only': 'The storage can only be read',
}

/** Why restic did nothing, for people. */
export function refusedBecause(end: ResticEnd): string {
  const refusal = refusalOf(end)
  if (refusal === 'other') return reasonFrom(end)
  if (refusal !== 'not-admitted') return words[refusal]
  return /host key verification failed/i.test(end.stderr)
    ? 'The server has another host key than the one that was entered'
    : 'The storage refuses access. Check its credentials and permissions'
}

/** What it said last, without addresses that may carry credentials. */
export function reasonFrom({ code, signal, stderr }: ResticEnd): string {
  const said = withoutTraces(stderr)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !triedAgain.test(line))
    .slice(-3)
    .join(' ')
    .replace(/^Fatal: /, '')
  return withoutCredentials(said || (signal ? `restic was ended by ${signal}` : `restic ended with code ${code}`))
}

/** Addresses without what stands before an @ and after a question mark: a password, or a signature that gives access. */
export const withoutCredentials = (text: string): string =>
  text.replace(/(\w+:\/\/)[^\s/@]+@/g, '$1').replace(/(\w+:\/\/[^\s"'?]+)\?[^\s"']*/g, '$1')
