import { randomBytes, randomUUID } from 'node:crypto'
import { createReadStream, type ReadStream } from 'node:fs'
import { readdir, readFile, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileOf, isRepositoryId, type ObjectKind, type StoredObject } from './object-path.ts'
import { StoreThreads, type Upload } from './store-threads.ts'

const draftsFolder = '.incoming'

/** The files of the backup store: one folder for each repository, as restic's local backend has it. */
export class RepositoryFiles {
  readonly #root: string
  readonly #threads = new StoreThreads()
  #drafts = 0

  constructor(root: string) {
    this.#root = root
  }

  /** Where restic itself finds the repository on this machine. */
  pathOf(repositoryId: string): string {
    return join(this.#root, repositoryId)
  }

  async create(repositoryId: string): Promise<void> {
    await this.#threads.ask({ do: 'create', repository: this.pathOf(repositoryId) })
  }

  /** Bytes of an object; null when there is none. */
  async size(folder: string, object: StoredObject): Promise<number | null> {
    const found = await stat(fileOf(folder, object)).catch(unlessMissing)
    return found?.isFile() ? found.size : null
  }

  /** `last`: the last byte, which is part of it. */
  read(folder: string, object: StoredObject, range: { first: number; last: number }): ReadStream {
    return createReadStream(fileOf(folder, object), { start: range.first, end: range.last })
  }

  /** JSON: name and size of each object. */
  async list(folder: string, kind: ObjectKind): Promise<Uint8Array> {
    return (await this.#threads.ask({ do: 'list', folder: join(folder, kind), kind })) as Uint8Array
  }

  async count(folder: string, kind: ObjectKind): Promise<number> {
    const names = await readdir(join(folder, kind)).catch(unlessMissing)
    return names?.length ?? 0
  }

  /**
   * Stores an object. When it resolves, the object outlasts a power cut.
   * @throws StoreError `wrong_hash`, `exists` for a second configuration, or the code of the file system
   */
  async write(folder: string, object: StoredObject, content: Readable): Promise<Upload> {
    const upload = this.#threads.upload({
      draft: join(this.#root, draftsFolder, `${process.pid}-${++this.#drafts}`),
      file: fileOf(folder, object),
      name: object.kind === 'config' ? null : object.name,
    })
    await pipeline(content, upload)
    return upload
  }

  /** Bytes; null when there was none. */
  async remove(folder: string, object: StoredObject): Promise<number | null> {
    const bytes = await this.size(folder, object)
    if (bytes !== null) await rm(fileOf(folder, object), { force: true })
    return bytes
  }

  /** Bytes of all objects of a repository. */
  async measure(repositoryId: string): Promise<number> {
    return (await this.#threads.ask({ do: 'measure', repository: this.pathOf(repositoryId) })) as number
  }

  /** Ids of all repositories that lie here, also of those that nobody knows any more. */
  async repositories(): Promise<string[]> {
    const found = await readdir(this.#root, { withFileTypes: true })
    return found.filter((one) => one.isDirectory() && isRepositoryId(one.name)).map(({ name }) => name)
  }

  async removeRepository(repositoryId: string): Promise<void> {
    await rm(this.pathOf(repositoryId), { recursive: true, force: true, maxRetries: 3 })
  }

  /** Writes something, reads it and removes it. */
  async probe(): Promise<void> {
    const file = join(this.#root, `.probe-${randomUUID()}`)
    const content = randomBytes(32)
    try {
      await writeFile(file, content, { flag: 'wx', mode: 0o600, flush: true })
      if (!content.equals(await readFile(file))) throw new Error('The disk does not return what was written to it')
    } finally {
      await rm(file, { force: true })
    }
  }

  /** Of the disk, for somebody without special rights; bytes. */
  async freeBytes(): Promise<number> {
    const { bavail, bsize } = await statfs(this.#root)
    return bavail * bsize
  }

  /** What uploads have left that a kill cut off. */
  async removeDrafts(): Promise<void> {
    await rm(join(this.#root, draftsFolder), { recursive: true, force: true })
  }

  stop(): Promise<void> {
    return this.#threads.stop()
  }
}

function unlessMissing(error: NodeJS.ErrnoException): null {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
  throw error
}
