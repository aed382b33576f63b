import { randomInt } from 'node:crypto'
import pLimit from 'p-limit'
import pRetry, { AbortError } from 'p-retry'
import { day, hour, iso, minute, second } from '../../platform/clock.ts'
import { isDone, refusalIn, type S3Answer, type S3Bucket } from '../backup-storage/index.ts'
import { folderOf, type LockedObjects, type LockedUntil } from './locked-objects.ts'
import { NotLocked } from './refusals.ts'

export interface LockWish {
  repositoryId: string
  /** Of its objects in the bucket, with a slash at its end. */
  prefix: string
  /** As restic names them. */
  snapshotIds: readonly string[]
  /** Milliseconds since 1970. */
  until: number
  now: number
}

/** What a storage has locked, and was seen to have locked. */
export interface Locked {
  objects: number
  /** Snapshots that are not in the storage. */
  missing: ReadonlySet<string>
}

/**
 * Packs are shared by snapshots, so those of every day would be locked anew each day. They are locked for longer than asked
 * for, and again when that does not suffice any more.
 */
const spareMs = 10 * day
const atOnce = 4
/** What is more goes on in the next run. */
const mostAtATime = 10_000
const sampleSize = 8

const soonMs = 15 * minute
const laterMs = 6 * hour

/**
 * Has an S3 bucket lock everything in a repository of restic: its snapshots share what they consist of. What a storage
 * says that it has done counts only once it has been seen.
 */
export class RepositoryLocking {
  readonly #bucket: S3Bucket
  readonly #locked: LockedObjects
  readonly #signal: AbortSignal

  constructor(bucket: S3Bucket, locked: LockedObjects, signal: AbortSignal) {
    this.#bucket = bucket
    this.#locked = locked
    this.#signal = signal
  }

  /**
   * Null when there is more to do than one run does.
   * @throws NotLocked, Unusable, Unreachable
   */
  async run(wish: LockWish): Promise<Locked | null> {
    await this.#assertCanLock()
    // Whole seconds: some storage knows no parts of one.
    const target = iso(Math.ceil((wish.until + spareMs) / second) * second)
    const sample = new Sample(['config', ...wish.snapshotIds.map(fileOf)])
    let asked = 0
    let seen = 0
    for await (const keys of this.#bucket.objects(wish.prefix)) {
      this.#signal.throwIfAborted()
      const names = keys.map((key) => key.slice(wish.prefix.length)).filter((name) => !isPassing(name))
      for (const name of names) sample.offer(name)
      seen += names.length
      for (const [folder, some] of Map.groupBy(names, folderOf))
        asked += await this.#lockFolder(wish, target, folder, some)
      if (asked >= mostAtATime) return null
    }
    if (!sample.has('config')) throw new NotLocked('The repository was not found in the storage', soonMs)
    await this.#assertSeen(wish, sample.names)
    await this.#assertLasting(wish, target)
    return { objects: seen, missing: new Set(wish.snapshotIds.filter((id) => !sample.has(fileOf(id)))) }
  }

  /** A key that may not ask finds out when it locks. */
  async #assertCanLock(): Promise<void> {
    const { supported, error } = await this.#bucket.objectLock()
    if (supported || error !== null) return
    throw new NotLocked('The bucket has no object lock. With many storages only a new bucket can get it', laterMs)
  }

  /** Answers how many it asked for. What is locked when something fails stays noted. */
  async #lockFolder(wish: LockWish, target: string, folder: string, names: readonly string[]): Promise<number> {
    const needed = iso(wish.until)
    const known = this.#locked.in(wish.repositoryId, folder)
    const missing = names.filter((name) => (known.get(name) ?? '') < needed)
    if (missing.length === 0) return 0
    const locked: LockedUntil = new Map()
    const limit = pLimit(atOnce)
    const ends = await Promise.allSettled(
      missing.map((name) => limit(async () => locked.set(name, await this.#lock(wish, name, target)))),
    ).finally(() => this.#locked.note(wish.repositoryId, folder, locked))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
    return missing.length
  }

  /** Answers until when. */
  async #lock({ prefix, until }: LockWish, name: string, target: string): Promise<string> {
    this.#signal.throwIfAborted()
    const answer = await this.#patiently(() => this.#bucket.lock(prefix + name, target))
    if (isDone(answer)) return target
    // It may be locked for longer than that, which nobody may shorten.
    if (isDenied(answer)) {
      const { retention } = await this.#bucket.retentionOf(prefix + name)
      if (retention?.mode === 'COMPLIANCE' && retention.until >= until) return iso(retention.until)
    }
    throw refused(answer)
  }

  /** A storage with much to do says so. */
  #patiently(ask: () => Promise<S3Answer>): Promise<S3Answer> {
    const asked = async () => {
      const answer = await ask().catch((error: unknown) => {
        throw new AbortError(error as Error)
      })
      if (answer.status >= 500 && answer.status !== 501) throw refusalIn(answer)
      return answer
    }
    return pRetry(asked, { retries: 2, minTimeout: second / 5, signal: this.#signal })
  }

  async #assertSeen({ prefix, until }: LockWish, names: readonly string[]): Promise<void> {
    for (const name of names) {
      const { answered, retention } = await this.#bucket.retentionOf(prefix + name)
      if (retention === null && answered.code === 'AccessDenied')
        throw new NotLocked('The access key may not read what it has locked (s3:GetObjectRetention)', laterMs)
      if (retention === null && !isDone(answered) && answered.status >= 500) throw refusalIn(answered)
      if (retention?.mode !== 'COMPLIANCE' || retention.until < until) throw pretended()
    }
  }

  /** A lock that can be shortened is none. Where the storage lets us, it is put back. */
  async #assertLasting({ prefix, until, now }: LockWish, target: string): Promise<void> {
    const shorter = iso(Math.ceil((now + (until - now) / 2) / second) * second)
    const answer = await this.#bucket.lock(`${prefix}config`, shorter)
    if (answer.status >= 500) throw refusalIn(answer)
    if (!isDone(answer)) return
    await this.#bucket.lock(`${prefix}config`, target)
    throw pretended()
  }
}

const fileOf = (snapshotId: string) => `snapshots/${snapshotId}`

const pretended = () => new NotLocked('The storage says that it locks objects, but does not keep to it', laterMs, true)

const isDenied = ({ status }: S3Answer): boolean => status === 403 || status === 400

function refused(answer: S3Answer): Error {
  const { status, code } = answer
  if (status === 404 || status === 405)
    return new NotLocked('Something was deleted from the storage while it was being locked', soonMs)
  if (status === 501 || code === 'InvalidRequest')
    return new NotLocked('The bucket has no object lock. With many storages only a new bucket can get it', laterMs)
  if (code === 'AccessDenied' || status === 403)
    return new NotLocked('The access key may not lock objects (s3:PutObjectRetention)', laterMs)
  return refusalIn(answer)
}

/** Locks of restic itself: those who work in the repository delete them. */
const isPassing = (name: string): boolean => name === '' || name.startsWith('locks/')

/** Some objects by chance, and those that have to be there. */
class Sample {
  readonly #required: readonly string[]
  readonly #missing: Set<string>
  readonly #others: string[] = []
  #offered = 0

  constructor(required: readonly string[]) {
    this.#required = required
    this.#missing = new Set(required)
  }

  offer(name: string): void {
    if (this.#missing.delete(name)) return
    this.#offered++
    if (this.#others.length < sampleSize) this.#others.push(name)
    else {
      const place = randomInt(this.#offered)
      if (place < sampleSize) this.#others[place] = name
    }
  }

  /** Of those that have to be there. */
  has(name: string): boolean {
    return !this.#missing.has(name)
  }

  get names(): readonly string[] {
    return [...this.#required.filter((name) => this.has(name)), ...this.#others]
  }
}
