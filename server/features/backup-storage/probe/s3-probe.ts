import { randomBytes, randomUUID } from 'node:crypto'
import { joined, textOf } from '../providers/fields.ts'
import { type Fetch, type ObjectLock, S3Bucket } from '../s3/bucket.ts'
import { type Answered, isDone, refusalIn } from '../s3/refusals.ts'
import type { Details } from '../secrets-of-details.ts'
import { Unusable } from '../unusable.ts'

/**
 * Puts an object below the prefix, reads it and deletes it; then asks whether the bucket can lock objects.
 * @throws Unusable, Unreachable
 */
export async function probeS3(details: Details, fetch: Fetch, signal: AbortSignal): Promise<ObjectLock> {
  const bucket = new S3Bucket(details, fetch, signal)
  const key = joined(textOf(details, 'prefix') ?? '', `.probe-${randomUUID()}`)
  const content = randomBytes(32)
  assertDone(await bucket.put(key, content))
  try {
    const { answered, bytes } = await bucket.get(key, content.length)
    assertDone(answered)
    if (!bytes?.equals(content)) throw new Unusable('The storage does not return what was stored')
  } finally {
    assertDone(await bucket.remove(key))
  }
  return bucket.objectLock()
}

function assertDone(answered: Answered): void {
  if (!isDone(answered)) throw refusalIn(answered)
}
