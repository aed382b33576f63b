import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { openRecoverySheet } from '../../shared/api/backup-keys.ts'
import { createVault, listVaults } from '../../shared/api/backup-vaults.ts'
import { protectedDevice } from '../flows/backup-agent-kit.ts'
import { eventually } from '../helpers/eventually.ts'

/** The drill of the documentation: the appliance is lost with its disk, and a second copy and the sheet are left. */

const admin = async (input: string, ...args: string[]) => {
  const program = join(import.meta.dirname, '../../server/admin/index.ts')
  const child = spawn(process.execPath, [program, 'recover-repository', ...args, '--key-stdin'], {
    env: { PATH: process.env.PATH ?? '' },
  })
  child.stdin.end(`${input}\n`)
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)])
  return { out, err }
}

test('with a disk from the drawer and the sheet in hand a file is back, and everything else', async () => {
  const { app, token, folder, source, backedUp, agent } = await protectedDevice()
  const as = { token }
  await app.app.jobs.runNow('components.take-installed')
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  const body = { deviceId: null, place: 'appliance', vaultPath: disk }
  expect((await app.call(createVault, { body } as never, as)).status).toBe(201)
  expect(await backedUp()).toMatchObject({ status: 'completed' })
  await eventually(async () => {
    await app.app.jobs.runNow('backup.sync-copies')
    expect((await app.call(listVaults, {}, as)).body.data).toMatchObject([
      { lastSyncStatus: 'completed', snapshots: 1 },
    ])
  })
  const sheet = (await app.call(openRecoverySheet, {}, as)).body.data
  expect(sheet.secondCopies).toMatchObject([{ place: `${disk}/FOLDER at the appliance` }])
  const written = (sheet.keys[0]?.key ?? '').toUpperCase().replace(/.{4}/g, '$& ')

  await agent.stop('SIGKILL')
  rmSync(app.dataDir, { recursive: true })
  rmSync(join(folder, 'state'), { recursive: true })

  const listed = await admin(written, disk)
  expect(listed.err).toBe('')
  const [, snapshot = ''] = /\n {2}([0-9a-f]{16}) /.exec(listed.out) ?? []
  const [name = ''] = readdirSync(disk)
  expect(sheet.repositories.map((one) => one.folder)).toEqual([name])
  const place = join(disk, name)
  const back = join(folder, 'back')
  const file = join(source, 'docs', 'report.txt')
  const one = await admin(written, place, '--snapshot', snapshot, '--path', file, '--to', back)
  expect(one).toEqual({ out: `Restored to ${join(back, file)}\n`, err: '' })
  expect(readFileSync(join(back, file), 'utf8')).toBe('the report')
  const all = join(folder, 'all')
  expect((await admin(written, place, '--snapshot', snapshot, '--to', all)).err).toBe('')
  expect(readFileSync(join(all, source, 'notes.txt'), 'utf8')).toBe('notes')
  expect((await admin('0'.repeat(64), place)).err).toContain('this key does not open it')
})
