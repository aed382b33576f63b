import { expect, test } from 'vitest'
import { restoreAdvice } from './restore-advice.ts'
import { diskOf, newRestore, problemOf, restoreInputOf } from './restore-draft.ts'
import {
  restoredPercent,
  restoreProgressWords,
  shortRestoreProgress,
  targetWords,
  whatIsRestored,
} from './restore-words.ts'

const gigabyte = 1024 ** 3
const half = {
  status: 'running' as const,
  progress: { phase: 'restoring' as const, bytesPerSecond: 1024 ** 2 },
  restoredSize: gigabyte,
  restoredFiles: 10,
  expectedBytes: 2 * gigabyte,
  expectedFiles: 1200,
}

test('a running restore says how far it is, as far as that is known', () => {
  expect(restoreProgressWords(half)).toBe('1 GB of 2 GB, 10 of 1,200 files, 1 MB/s, 17 min 4 s left')
  expect([shortRestoreProgress(half), restoredPercent(half)]).toEqual(['50 %, 17 min 4 s left', 50])
  const silent = { ...half, restoredSize: 0, progress: { ...half.progress, bytesPerSecond: null } }
  expect([restoreProgressWords(silent), restoredPercent(silent)]).toEqual(['Restoring 1,200 files, 2 GB…', null])
  const unknown = { ...silent, expectedBytes: null, expectedFiles: null }
  expect([restoreProgressWords(unknown), restoredPercent(unknown)]).toEqual(['Restoring…', null])
  const preparing = { ...half, progress: { phase: 'preparing' as const, bytesPerSecond: null } }
  expect([restoreProgressWords(preparing), restoredPercent(preparing)]).toEqual(['Preparing…', null])
  const finishing = { ...half, progress: { phase: 'finishing' as const, bytesPerSecond: null } }
  expect([restoreProgressWords(finishing), restoredPercent(finishing)]).toEqual(['Finishing…', 100])
})

test('what is restored and where to is said in few words', () => {
  expect(whatIsRestored({ restoreType: 'full', selectedPaths: [] })).toBe('Everything')
  expect(whatIsRestored({ restoreType: 'selective', selectedPaths: ['/a'] })).toBe('/a')
  expect(whatIsRestored({ restoreType: 'selective', selectedPaths: ['/a', '/b'] })).toBe('2 files and folders')
  const nowhere = { targetPath: null, inPlace: false, resultDetails: null }
  expect(targetWords(nowhere)).toBe('A new folder')
  expect(targetWords({ ...nowhere, resultDetails: { stagingDir: '/var/lib/x' } })).toBe('/var/lib/x')
  expect(targetWords({ ...nowhere, inPlace: true })).toBe('Where the files were')
  expect(targetWords({ ...nowhere, targetPath: '/etc', inPlace: true })).toBe('/etc')
})

test('what somebody chose becomes what the server is asked for; no choice changes anything on the device', () => {
  const draft = newRestore('d')
  const all = { snapshot: { id: 's' }, paths: [] }
  const what = { snapshotId: 's', deviceId: 'd', restoreType: 'full' }
  expect(restoreInputOf(draft, all)).toEqual({ ...what, existing: 'rename' })
  expect(restoreInputOf({ ...draft, to: 'original' }, all)).toEqual({ ...what, existing: 'rename', inPlace: true })
  expect(restoreInputOf({ ...draft, to: 'folder', folder: ' /srv ' }, { ...all, paths: ['/a'] })).toEqual({
    ...what,
    restoreType: 'selective',
    selectedPaths: ['/a'],
    existing: 'rename',
    targetPath: '/srv',
    inPlace: false,
  })
})

test.each([
  ['/srv', 'linux', null],
  ['', 'linux', 'empty'],
  ['srv', 'linux', 'relative'],
  ['/srv/../etc', 'linux', 'parent'],
  ['//etc//x', 'linux', 'system'],
  ['/etcetera', 'linux', null],
  ['C:\\Windows\\Temp', 'windows', 'system'],
  ['c:/', 'windows', 'system'],
  ['D:\\Back', 'windows', null],
  ['\\\\nas\\share', 'windows', null],
  ['/srv', 'windows', 'relative'],
  ['/System/', 'macos', 'system'],
  ['/Users/ada', 'macos', null],
] as const)('to the folder “%s” of %s: %s', (folder, osType, problem) => {
  expect(problemOf({ ...newRestore('d'), to: 'folder', folder }, osType)).toBe(problem)
})

test('the room that counts is that of the disk the files come to lie on', () => {
  const disks = ['/', '/srv', '/srv/data'].map((mountPoint) => ({ mountPoint, freeBytes: 1 }))
  const on = (folder: string) => diskOf({ ...newRestore('d'), to: 'folder', folder }, [], disks, 'linux')?.mountPoint
  expect(['/srv/data/x', '/srv/database', '/home', '/srv'].map(on)).toEqual(['/srv/data', '/srv', '/', '/srv'])
  expect(diskOf({ ...newRestore('d'), to: 'original' }, ['/srv/a'], disks, 'linux')?.mountPoint).toBe('/srv')
  expect(diskOf(newRestore('d'), ['/srv/a'], disks, 'linux')?.mountPoint).toBe('/')
  const drives = ['C:\\', 'D:'].map((mountPoint) => ({ mountPoint, freeBytes: 1 }))
  expect(diskOf({ ...newRestore('d'), to: 'original' }, ['d:/x'], drives, 'windows')?.mountPoint).toBe('D:')
  expect(diskOf(newRestore('d'), [], drives, 'windows')?.mountPoint).toBe('C:\\')
})

test.each([
  ['There is not enough free space there', /not enough room/],
  ['Server-side timeout: no response from agent after 30 minutes', /Nothing was heard/],
  ['The storage of this snapshot is turned off or gone', /was off, or deleted/],
  ['something new', /^The restore failed\.$/],
])('a restore that failed with “%s” says what that means', (error, what) => {
  expect(restoreAdvice({ status: 'failed', resultDetails: { error } })?.what).toMatch(what)
  expect(restoreAdvice({ status: 'completed', resultDetails: null })).toBeNull()
})
