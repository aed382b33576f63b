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
  let open: ObjectVersion[] = []
  for await (const page of bucket.versions(prefix)) {
    const byKey = Map.groupBy([...open, ...page], ({ key }) => key)
    // More versions of the last object may stand on the next page.
    const last = [...byKey.keys()].reduce((one, other) => (one > other ? one : other), '')
    open = byKey.get(last) ?? []
    byKey.delete(last)
    for (const [key, all] of byKey) await bringBack(bucket, prefix, key, all, done)
  }
  if (open[0]) await bringBack(bucket, prefix, open[0].key, open, done)
  return done
}

/** @param all versions of one object: the newest first, but for deletions, which may stand before them */
async function bringBack(
  bucket: S3Bucket,
  prefix: string,
  key: string,
  all: readonly ObjectVersion[],
  done: Undeleted,
): Promise<void> {
  const stored = all.filter(({ isDeletion }) => !isDeletion)
  const first = stored.at(-1)
  if (!first || key.startsWith(`${prefix}locks/`)) return
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
