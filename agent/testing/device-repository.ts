import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { quickPassword } from './quick-repository.ts'
import { scratchFolder } from './restic.ts'

/** A place for a repository in a folder of the device, and what the commands of backups need for it. */
export function deviceRepository() {
  const folder = scratchFolder()
  const url = join(folder, 'repository')
  const file = process.env.RESTIC_PATH ?? 'restic'
  const settings = { folder: join(folder, 'runs'), cacheFolder: join(folder, 'cache'), serverUrl: 'http://127.0.0.1' }
  const using = {
    programs: { find: async () => ({ file, version: '0.14.0' }), hold: () => () => {} },
    settings,
    stateDir: folder,
    sendFiles: () => expect.unreachable(),
    authorities: () => undefined,
  }
  const engine: ResticEngine = {
    kind: 'restic',
    repositoryId: randomUUID(),
    place: { at: 'elsewhere', url, env: {}, options: [] },
    password: quickPassword,
    init: false,
    host: randomUUID(),
    tags: [],
  }
  return { folder, url, using, engine, runner: { ...settings, file, authorities: undefined } }
}

/** What a command is told of its run. */
export const commandRun = (progress: (sent: unknown) => void = () => {}) => ({
  id: randomUUID(),
  signal: AbortSignal.timeout(60_000),
  output: () => {},
  cancel: () => false,
  progress,
})
