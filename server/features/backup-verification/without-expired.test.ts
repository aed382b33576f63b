import { expect, test } from 'vitest'
import type { VerificationOutcome } from '../../../shared/device/backup-verification.ts'
import { withoutExpired } from './without-expired.ts'

const [kept, expired, own] = ['ab'.repeat(32), 'cd'.repeat(32), 'ef'.repeat(32)]
const missing = (...ids: string[]): VerificationOutcome => ({
  ...{ status: 'partial', filesVerified: 2, filesFailed: 0, reason: 'Other snapshots are missing in the storage' },
  damage: ids.map((id) => ({ kind: 'snapshot' as const, id })),
  otherSnapshots: ids.map((snapshotId) => ({ snapshotId, files: 0 })),
})

test('a snapshot that expired while the device read is not missed', () => {
  expect(withoutExpired(missing(expired), [own, kept])).toEqual({ status: 'passed', filesVerified: 2, filesFailed: 0 })
  expect(withoutExpired(missing(expired, kept), [own, kept])).toEqual(missing(kept))
})

test('other damage stays what it is', () => {
  const failed: VerificationOutcome = {
    ...missing(expired),
    ...{
      status: 'failed',
      filesFailed: 1,
      damage: [
        { kind: 'pack', id: expired },
        { kind: 'snapshot', id: 'ab12' },
      ],
    },
  }
  expect(withoutExpired(failed, [own])).toEqual(failed)
  expect(withoutExpired(missing(kept), [own, kept])).toEqual(missing(kept))
})
