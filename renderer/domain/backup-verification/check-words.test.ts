import { expect, test } from 'vitest'
import type { Verification } from '../../../shared/api/backup-verification.ts'
import { resultWords } from './check-words.ts'

const check = (some: Partial<Verification>): Verification => ({
  id: '',
  orgId: '',
  deviceId: '',
  deviceName: 'pc-1',
  backupJobId: null,
  snapshotId: null,
  snapshotTakenAt: '',
  verificationType: 'integrity',
  status: 'passed',
  startedAt: '',
  completedAt: '',
  restoreTimeSeconds: null,
  filesVerified: 12,
  filesFailed: 0,
  sizeBytes: null,
  details: { source: 'manual', ranOn: 'appliance' },
  createdAt: '',
  ...some,
})
const details = { source: 'manual', ranOn: 'device' } as const

test.each([
  [check({}), 'All data of 12 files read without an error.'],
  [check({ status: 'running' }), 'Being read by the appliance.'],
  [
    check({ details: { ...details, subset: '3/28' } }),
    'Part 3 of 28 of the data read without an error. The rest is read at night, a part at a time.',
  ],
  [
    check({ verificationType: 'test_restore', restoreTimeSeconds: 2.2, sizeBytes: 2048, details }),
    '12 files (2 KB) restored in 2 s. Names, sizes and the checksums of the storage match.',
  ],
  [
    check({
      ...{ status: 'failed', filesVerified: 11, filesFailed: 1 },
      details: { ...details, reason: 'Data in the storage is damaged or missing', otherSnapshots: [] },
    }),
    'Data in the storage is damaged or missing. 1 of 12 files affected.',
  ],
])('%#: what came of a check is said in words', (one, words) => {
  expect(resultWords(one)).toBe(words)
})
