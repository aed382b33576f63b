import { expect, test } from 'vitest'
import { halfMadeRepository } from '../../../shared/device/backup.ts'
import { adviceFor } from './job-advice.ts'
import { jobDurationMs, percentOf, progressWords, shortProgress } from './job-words.ts'

const nothing = { progress: null, transferredSize: null, totalSize: null, fileCount: null, totalFiles: null }
const uploading = { phase: 'uploading' as const, currentFile: '/a', bytesPerSecond: 1024 ** 2, secondsLeft: 130 }
const half = {
  progress: uploading,
  transferredSize: 1024 ** 3,
  totalSize: 2 * 1024 ** 3,
  fileCount: 10,
  totalFiles: 1200,
}

test('a running backup says how far it is, as far as that is known', () => {
  expect(progressWords(half)).toBe('1 GB of 2 GB, 10 of 1,200 files, 1 MB/s, 2 min 10 s left')
  expect([shortProgress(half), percentOf(half)]).toEqual(['50 %, 2 min 10 s left', 50])
  expect([progressWords(nothing), shortProgress(nothing), percentOf(nothing)]).toEqual([
    'Preparing…',
    'Preparing…',
    null,
  ])
  const finishing = { ...half, progress: { ...uploading, phase: 'finishing' as const } }
  expect([progressWords(finishing), percentOf(finishing)]).toEqual(['Finishing…', 100])
  // A restart of the appliance forgets the speed, and restic may count more than it announced.
  expect(progressWords({ ...half, progress: null })).toBe('1 GB of 2 GB, 10 of 1,200 files')
  expect(percentOf({ ...half, transferredSize: 3 * 1024 ** 3 })).toBe(100)
  expect(jobDurationMs({ startedAt: '2026-11-24T00:00:00.000Z', completedAt: null })).toBeNull()
})

test.each([
  ['Backup engine not available on this device', /restic isn’t on this device/],
  ['[stale-backup-reaper] Device went offline during backup', /went offline/],
  ['Repository key rejected', /doesn’t accept its key/],
  ['The repository is not there. Is the storage connected?', /wasn’t found in the storage/],
  [halfMadeRepository, /cut off while it made/],
  ['Save(<data/1>) returned error: server response unexpected: 507 Insufficient Storage', /storage is full/],
  ['create repository failed: client.BucketExists: Access Denied.', /refused the credentials/],
  ['dial tcp: lookup s3.example.test: no such host', /couldn’t reach the storage/],
  ['x509: certificate signed by unknown authority', /doesn’t trust the certificate/],
  ['something new', /^The backup failed\.$/],
])('a backup that failed with “%s” says what that means', (errorLog, what) => {
  expect(adviceFor({ status: 'failed', errorLog, errorCount: null })?.what).toMatch(what)
})

test('a missing part is said, and where all is well nothing is', () => {
  expect(adviceFor({ status: 'partial', errorLog: null, errorCount: 3 })?.todo).toContain('leave them out')
  expect(adviceFor({ status: 'completed', errorLog: null, errorCount: 1 })?.what).toContain('but for a few files')
  for (const status of ['completed', 'cancelled', 'running', 'pending'] as const)
    expect(adviceFor({ status, errorLog: 'Cancelled by user', errorCount: 0 })).toBeNull()
})
