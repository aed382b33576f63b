import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { insisting, ResticRefused, type RunThere } from './restic-maintenance.ts'

/** The passwords that open a repository, changed by the one that reaches it. Done again, each step goes on. */

interface PasswordChange {
  /** Restic with the password of until now, and with the other one. */
  withOld: RunThere
  withNew: RunThere
  /** The name of this computer, if no other one can work there: what others have locked may then go. */
  onlyHost: string | null
}

/**
 * Afterwards both open the repository.
 * @throws ResticRefused
 */
export async function addPassword(
  { withOld, withNew, onlyHost }: PasswordChange,
  newPassword: string,
  /** Private. */
  folder: string,
): Promise<void> {
  if (await opens(withNew)) return
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const own = await mkdtemp(join(folder, 'run-'))
  try {
    const file = join(own, 'new-password')
    await writeFile(file, newPassword, { mode: 0o600, flag: 'wx' })
    await insisting(withOld, onlyHost)(['key', 'add', '--new-password-file', file])
  } finally {
    await rm(own, { recursive: true, force: true, maxRetries: 3 })
  }
  if (!(await opens(withNew))) throw new Error('restic has added a password that does not open the repository')
}

/** One is there more than once when it was added twice. Restic itself tries no more than twenty. */
const mostKeys = 20

/**
 * Afterwards only the new one opens the repository, of the two. What removes the old one has opened it with the new one.
 * @throws ResticRefused
 */
export async function removePassword({ withOld, withNew, onlyHost }: PasswordChange): Promise<void> {
  for (let round = 0; round < mostKeys; round++) {
    const id = await currentKey(withOld, onlyHost)
    if (id === null) return
    await insisting(withNew, onlyHost)(['key', 'remove', id])
  }
  throw new Error('A password that was removed still opens the repository')
}

/** @throws ResticRefused when it cannot be told */
async function opens(run: RunThere): Promise<boolean> {
  const end = await run(['cat', 'config', '--no-lock'])
  if (end.code === 0) return true
  const refused = new ResticRefused(end)
  if (refused.refusal === 'wrong-password') return false
  throw refused
}

/** What restic calls the key that this password opens; null when it opens none. */
async function currentKey(run: RunThere, onlyHost: string | null): Promise<string | null> {
  const listed: unknown[] = []
  const onJson = (value: unknown) => void (Array.isArray(value) && listed.push(...value))
  try {
    await insisting(run, onlyHost)(['key', 'list'], { onJson })
  } catch (error) {
    if (error instanceof ResticRefused && error.refusal === 'wrong-password') return null
    throw error
  }
  for (const key of listed) {
    const { id, current }: { id?: unknown; current?: unknown } = Object(key)
    if (current === true && typeof id === 'string') return id
  }
  throw new Error('restic did not list the keys of the repository')
}
