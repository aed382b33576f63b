import { expect, test } from 'vitest'
import type { Verification } from '../../../shared/api/backup-verification.ts'
import { resultWords, underWayWords } from './check-words.ts'

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
    check({ details: { source: 'post_backup', ranOn: 'appliance', subset: '256M' } }),
    '256 MB of the data, chosen at random, read without an error. The rest is read at night, a part at a time.',
  ],
  [
    check({ details: { ...details, subset: '64M' } }),
    '64 MB of the data, chosen at random, read without an error. A check that you start reads all of it.',
  ],
  [
    check({
      ...{ verificationType: 'test_restore', restoreTimeSeconds: 2.2, sizeBytes: 2048 },
      details: { ...details, warnings: ['Files with another modification time than before: 3'] },
    }),
    '12 files (2 KB) restored in 2 s. Names, sizes and the checksums of the storage match. Files with another modification time than before: 3.',
  ],
  [
    check({
      ...{ verificationType: 'test_restore', status: 'failed', filesVerified: 0 },
      details: { ...details, reason: 'insufficient_space' },
    }),
    'There isn’t enough free space on the device for a test restore.',
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

test('who asks for a check while another one is under way is told which, and since when', () => {
  const now = new Date(2026, 2, 1, 14, 5).getTime()
  const startedAt = new Date(2026, 2, 1, 14, 3).toISOString()
  const quick = { id: '', source: 'post_backup', ranOn: 'appliance', subset: '256M', startedAt } as const
  expect(underWayWords(quick, now)).toMatch(
    /^An automatic check of this kind \(256 MB of the data, chosen at random\) has been under way since \d+:03.*\. Start yours when it has ended\.$/,
  )
  const own = { id: '', source: 'manual', ranOn: 'device', startedAt } as const
  expect(underWayWords(own, now)).toMatch(/^Such a check has been under way since /)
})
