import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { ResticRefused } from '../../shared/node/restic-maintenance.ts'
import { type ResticListeners, runRestic } from '../../shared/node/restic-run.ts'
import { isRecoveryKey, passwordFrom } from '../features/backup-storage/index.ts'

export interface RecoveryWish {
  /** A repository, or a folder with several; else an address that restic understands. */
  place: string
  /** As on the recovery sheet, or the password itself. */
  key: string
  /** The program. */
  restic: string
  /** Has the account of storage elsewhere, as restic itself takes it. */
  environment: Readonly<Record<string, string | undefined>>
  /** With `to`: what to bring back, all of it without `path`. */
  snapshot?: string
  path?: string
  to?: string
}

interface Snapshot {
  id: string
  time: string
  hostname: string
  paths: string[]
}

/** Opens repositories without an appliance: answers what is in them, or what was restored, in lines. */
export async function recoverRepository(wish: RecoveryWish): Promise<string[]> {
  const { place, snapshot, to } = wish
  if ((snapshot === undefined) !== (to === undefined)) throw new Error('--snapshot and --to belong together')
  const repositories = repositoriesIn(place)
  const [only] = repositories
  if (snapshot === undefined || to === undefined || only === undefined) return listAll(repositories, wish)
  if (repositories.length > 1) throw new Error(`Name one of the repositories in ${place}`)
  return [await restore(only, wish, snapshot, resolve(to))]
}

function repositoriesIn(place: string): string[] {
  if (!existsSync(place)) return [place]
  const folder = resolve(place)
  const isRepository = (path: string) => existsSync(join(path, 'config')) && existsSync(join(path, 'keys'))
  if (isRepository(folder)) return [folder]
  const foldersIn = (path: string) =>
    readdirSync(path, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => join(path, name))
  // In storage of its own an organization has a folder, with its repositories in it.
  const found = foldersIn(folder)
    .flatMap((path) => (isRepository(path) ? [path] : foldersIn(path)))
    .filter(isRepository)
  if (found.length === 0) throw new Error(`There is no repository in ${folder}`)
  return found
}

async function listAll(repositories: readonly string[], wish: RecoveryWish): Promise<string[]> {
  const lines: string[] = []
  let opened = 0
  for (const repository of repositories)
    try {
      const snapshots = await snapshotsOf(repository, wish)
      opened++
      lines.push(`${repository}: ${snapshots.length === 1 ? '1 snapshot' : `${snapshots.length} snapshots`}`)
      for (const { id, time, hostname, paths } of snapshots)
        lines.push(`  ${id.slice(0, 16)}  ${time.slice(0, 19)}  device ${hostname}  ${paths.join(', ')}`)
    } catch (error) {
      if (!(error instanceof ResticRefused)) throw error
      lines.push(`${repository}: ${reasonFor(error)}`)
    }
  if (opened === 0) throw new Error(lines.join('\n'))
  return lines
}

async function snapshotsOf(repository: string, wish: RecoveryWish): Promise<Snapshot[]> {
  const found: Snapshot[] = []
  await run(repository, wish, ['snapshots', '--no-lock'], {
    onJson: (value) => void (Array.isArray(value) && found.push(...value)),
  })
  return found
}

async function restore(repository: string, wish: RecoveryWish, snapshot: string, to: string): Promise<string> {
  const included = wish.path === undefined ? [] : ['--include', literally(wish.path)]
  const args = ['restore', snapshot, '--no-lock', '--verify', '--target', to, ...included]
  await run(repository, wish, args)
  const expected = wish.path === undefined ? to : join(to, wish.path)
  // restic calls it a success when nothing in the snapshot has the path.
  if (!existsSync(expected)) throw new Error(`The snapshot has no ${wish.path}`)
  return `Restored to ${expected}`
}

/** Of a pattern of restic. */
const literally = (path: string): string => path.replace(/[[*?]/g, (character) => `[${character}]`)

async function run(
  repository: string,
  { key, restic: file, environment }: RecoveryWish,
  args: string[],
  listeners: ResticListeners = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-recover-'))
  const target = { url: repository, password: passwordFor(key, repository), env: accountIn(environment), options: [] }
  try {
    const end = await runRestic(
      { file, folder, cacheFolder: null },
      target,
      args,
      new AbortController().signal,
      listeners,
    )
    if (end.code !== 0) throw new ResticRefused(end)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** People write a key in groups. */
function passwordFor(key: string, repository: string): string {
  const digits = key.replace(/[\s-]/g, '').toLowerCase()
  return isRecoveryKey(digits) ? passwordFrom(digits, folderIn(repository)) : key.trim()
}

const uuid = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'
/** On a REST server, which has no folders in folders, it stands in the name before the folder. */
const ofOrganization = new RegExp(`^${uuid}-(?:copies-)?(?=${uuid})`)

const folderIn = (repository: string): string => basename(repository).replace(ofOrganization, '')

const accountIn = (environment: RecoveryWish['environment']): Record<string, string> =>
  Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      /^(AWS|AZURE|B2|GOOGLE|OS|RESTIC_REST|SSH|ST)_/.test(name) && value !== undefined ? [[name, value]] : [],
    ),
  )

const reasonFor = (error: ResticRefused): string =>
  error.refusal === 'wrong-password' ? 'this key does not open it' : error.message
