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
  const finish = async (all: readonly ObjectVersion[]) => {
    if (all[0] && !all[0].key.startsWith(`${prefix}locks/`)) await bringBack(bucket, all, done)
  }
  let versions: ObjectVersion[] = []
  for await (const page of bucket.versions(prefix))
    for (const version of page) {
      if (versions[0] && versions[0].key !== version.key) {
        await finish(versions)
        versions = []
      }
      versions.push(version)
    }
  await finish(versions)
  return done
}

/** @param all versions of one object, the newest first */
async function bringBack(bucket: S3Bucket, all: readonly ObjectVersion[], done: Undeleted): Promise<void> {
  const stored = all.filter(({ isDeletion }) => !isDeletion)
  const first = stored.at(-1)
  if (!first) return
  const marks = all.filter(({ isDeletion }) => isDeletion)
  for (const { key, versionId } of marks) assertDone(await bucket.remove(key, versionId))
  if (all[0]?.isDeletion) done.shownAgain++
  const isWrittenOver = stored[0]?.etag === undefined || stored[0].etag !== first.etag
  if (!isWrittenOver || stored.length === 1) return
  assertDone(await bucket.putBack(first.key, first.versionId))
  done.putBack++
}

function assertDone(answer: S3Answer): void {
  if (!isDone(answer)) throw refusalIn(answer)
}
