import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { protectedDevice } from './backup-agent-kit.ts'

/** From a policy to a restored file, with the agent that devices have and the real restic. */

test('a deleted file is back where it was, and the one that was changed meanwhile is kept beside it', async () => {
  const { app, deviceId, source, backedUp, restored, snapshots } = await protectedDevice()
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 2, errorCount: 0 })
  const [snapshot] = await snapshots()
  expect(snapshot).toMatchObject({ fileCount: 2, sizeBytes: 15, deviceId })

  rmSync(join(source, 'docs'), { recursive: true })
  writeFileSync(join(source, 'notes.txt'), 'newer notes')
  const selectedPaths = [join(source, 'docs'), join(source, 'notes.txt')]
  const wanted = { snapshotId: snapshot?.id, restoreType: 'selective', selectedPaths, inPlace: true }
  const outcome = await restored(wanted)
  expect(outcome).toMatchObject({
    status: 'completed',
    expectedFiles: 2,
    restoredFiles: 2,
    resultDetails: { filesRenamed: 1 },
  })
  expect(readFileSync(join(source, 'docs', 'report.txt'), 'utf8')).toBe('the report')
  const notes = readdirSync(source).filter((name) => name.startsWith('notes'))
  expect(notes.map((name) => readFileSync(join(source, name), 'utf8')).sort()).toEqual(['newer notes', 'notes'])

  // The credentials of both ended with them.
  expect(app.rowCounts().backup_store_credentials).toBe(0)
  expect(await backedUp()).toMatchObject({ status: 'completed', fileCount: 3 })
})
