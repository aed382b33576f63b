import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import { absenceOf } from './copy-medium.ts'

/** Whether a disk is there, on the file systems that every Linux has. */

const onLinux = test.skipIf(process.platform !== 'linux')
const notMounted = 'The folder is there, but no disk or share is mounted on it'

/** On a file system of its own, which is not mounted at the top. */
function onMemory(): string {
  const folder = mkdtempSync('/dev/shm/homeport-')
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

test('a folder that is not there is absent, whatever has to be mounted', async () => {
  const own = scratchFolder()
  for (const type of ['local', 'usb', 'smb'] as const)
    expect(await absenceOf(join(own, 'disk'), type, own)).toContain('not there')
  expect(await absenceOf(own, 'local', own)).toBeNull()
})

onLinux('a folder on the disk of the system, or on that of the program, is no disk that was mounted', async () => {
  const [own, memory] = [scratchFolder(), onMemory()]
  const disk = join(own, 'disk')
  mkdirSync(disk)
  expect(await absenceOf(disk, 'usb', own)).toBe(notMounted)
  expect(await absenceOf(disk, 'smb', memory)).toBe(notMounted)
  mkdirSync(join(memory, 'disk'))
  expect(await absenceOf(join(memory, 'disk'), 'usb', memory)).toBe(notMounted)
})

onLinux('a disk of its own is there at its mount point, below it, and where a link leads to it', async () => {
  const [own, memory] = [scratchFolder(), onMemory()]
  const link = join(own, 'link')
  symlinkSync(memory, link)
  for (const folder of ['/dev/shm', memory, link]) expect(await absenceOf(folder, 'usb', own), folder).toBeNull()
})

onLinux(
  'of what is mounted at the top, as partitions of the system are, only the mount point itself is a disk',
  async () => {
    const own = scratchFolder()
    expect(statSync('/proc').dev).not.toBe(statSync('/').dev)
    expect(await absenceOf('/proc', 'usb', own)).toBeNull()
    expect(await absenceOf('/proc/self', 'usb', own)).toBe(notMounted)
  },
)
