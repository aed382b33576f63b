import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { writeFileDurably } from '../../shared/node/files.ts'
import { makePrivateFolder, readIfPresent } from '../files.ts'
import { parseJson } from '../server-client.ts'

const jobIds = z.array(z.uuid()).catch([])

/**
 * The backups of each repository that began, and of which it is not known whether they made a snapshot: a kill or a lost
 * connection cut them off. Kept on the disk; the next backup of the repository asks it.
 */
export class BegunRuns {
  readonly #folder: string

  /** @param folder private */
  constructor(folder: string) {
    this.#folder = folder
  }

  of(repositoryId: string): string[] {
    return jobIds.parse(parseJson(readIfPresent(this.#fileOf(repositoryId)) ?? '[]'))
  }

  set(repositoryId: string, ids: readonly string[]): void {
    if (ids.length === 0) {
      rmSync(this.#fileOf(repositoryId), { force: true })
      return
    }
    makePrivateFolder(this.#folder)
    writeFileDurably(this.#fileOf(repositoryId), JSON.stringify(ids.slice(-keptIds)))
  }

  #fileOf(repositoryId: string): string {
    return join(this.#folder, `${repositoryId}.json`)
  }
}

/** Of a repository that cannot be reached for weeks. */
const keptIds = 50
