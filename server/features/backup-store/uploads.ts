import { AppError } from '../../platform/errors.ts'

/** restic sends ten at the same time, and each takes memory and a file. */
const mostAtOnce = 32

/** A repository and whose it is. */
interface Owned {
  repositoryId: string
  orgId: string
}

/** What is being uploaded at this moment. */
export class Uploads {
  readonly #byRepository = new Map<string, number>()
  readonly #bytesByOrganization = new Map<string, number>()
  /** Announced by all of them. */
  bytes = 0

  /** Announced by those of an organization. */
  bytesOf(orgId: string): number {
    return this.#bytesByOrganization.get(orgId) ?? 0
  }

  /**
   * Answers how to say that it has ended.
   * @throws AppError `backup_store_busy`
   */
  begin({ repositoryId, orgId }: Owned, bytes: number): () => void {
    if ((this.#byRepository.get(repositoryId) ?? 0) >= mostAtOnce) throw new AppError('backup_store_busy')
    const count = (uploads: 1 | -1) => {
      this.bytes += uploads * bytes
      add(this.#byRepository, repositoryId, uploads)
      add(this.#bytesByOrganization, orgId, uploads * bytes)
    }
    count(1)
    return () => count(-1)
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  const count = (counts.get(key) ?? 0) + change
  if (count > 0) counts.set(key, count)
  else counts.delete(key)
}
