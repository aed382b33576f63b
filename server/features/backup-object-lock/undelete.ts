import { isDone, type ObjectVersion, refusalIn, type S3Answer, type S3Bucket } from '../backup-storage/index.ts'

/** What was done, for how many objects. */
export interface Undeleted {
  /** Marks of deletions were removed. */
  shownAgain: number
  /** The first version was put back over others. */
  putBack: number
}

/**
 * Brings back what was deleted, or written over, in a repository in a bucket with versions. restic writes each object
 * once, so the first version is the right one; its own locks stay deleted.
 * @throws Unusable, Unreachable
 */
export async function undeleteObjects(bucket: S3Bucket, prefix: string): Promise<Undeleted> {
  const done: Undeleted = { shownAgain: 0, putBack: 0 }
  // All are listed before anything is changed: some storage loses its place otherwise.
  const byKey = new Map<string, Map<string, ObjectVersion>>()
  for await (const page of bucket.versions(prefix))
    for (const version of page) {
      const { key, versionId } = version
      if (key.startsWith(`${prefix}locks/`)) continue
      const known = byKey.get(key) ?? new Map()
      byKey.set(key, known.set(versionId, version))
    }
  for (const [key, versions] of byKey) await bringBack(bucket, key, [...versions.values()], done)
  return done
}

/** @param all versions of one object: the newest first, but for deletions, which may stand before them */
async function bringBack(bucket: S3Bucket, key: string, all: readonly ObjectVersion[], done: Undeleted): Promise<void> {
  const stored = all.filter(({ isDeletion }) => !isDeletion)
  const first = stored.at(-1)
  if (!first) return
  for (const { versionId, isDeletion } of all) if (isDeletion) assertDone(await bucket.remove(key, versionId))
  if (all.some(({ isDeletion, isLatest }) => isDeletion && isLatest)) done.shownAgain++
  const isWrittenOver = stored.length > 1 && (first.etag === undefined || stored[0]?.etag !== first.etag)
  if (!isWrittenOver) return
  assertDone(await bucket.putBack(key, first.versionId))
  done.putBack++
}

function assertDone(answer: S3Answer): void {
  if (!isDone(answer)) throw refusalIn(answer)
}
