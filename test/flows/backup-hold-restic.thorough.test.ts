import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { scratchFolder } from '../../agent/testing/restic.ts'
import {
  applyImmutability,
  applyLegalHold,
  releaseImmutability,
  releaseLegalHold,
} from '../../shared/api/backup-snapshot-protection.ts'
import { passFactor } from '../helpers/sessions.ts'
import { storingDevice } from '../helpers/stored-snapshot.ts'
import { testApp } from '../helpers/test-app.ts'

test('a hold or a lock of a backup, and its end, leave the snapshot in the storage as it was, under the same id', async () => {
  const app = await testApp()
  onTestFinished(() => app[Symbol.asyncDispose]())
  const { backUp, token, operator } = await storingDevice(app)
  const source = join(scratchFolder(), 'source')
  mkdirSync(source)
  writeFileSync(join(source, 'file.txt'), 'text')
  const { id, snapshotId, engine } = await backUp(source)
  const stored = () => engine.ok('snapshots', '--json')
  const before = await stored()
  expect(before).toContain(snapshotId)
  passFactor(app, token)
  const params = { id }
  const own = async () => (await operator.snapshots()).find((one) => one.id === id)

  expect((await app.call(applyLegalHold, { params, body: { reason: 'Case 42' } }, { token })).status).toBe(200)
  expect(await own()).toMatchObject({ legalHold: true })
  const fixed = { reason: 'Case 42', enforcement: 'application' as const, immutableDays: 30 }
  expect((await app.call(applyImmutability, { params, body: fixed }, { token })).status).toBe(200)
  expect(await own()).toMatchObject({ isImmutable: true })
  expect(await stored()).toBe(before)
  expect((await app.call(releaseLegalHold, { params, body: { reason: 'Over' } }, { token })).status).toBe(200)
  expect((await app.call(releaseImmutability, { params, body: { reason: 'Over' } }, { token })).status).toBe(409)
  expect(await own()).toMatchObject({ legalHold: false, isImmutable: true })
  expect(await stored()).toBe(before)
})
