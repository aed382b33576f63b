import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { setImmediate as turn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { ResticEngine } from '../../shared/device/backup.ts'
import { scratchFolder } from '../testing/restic.ts'
import { sendListing } from './listing.ts'

/** A program in the place of restic ends as it is told. */
async function listing(program: string) {
  const folder = scratchFolder()
  const file = join(folder, 'restic')
  writeFileSync(file, `#!${process.execPath}\n${program}`, { mode: 0o755 })
  const settings = { file, folder, cacheFolder: null, serverUrl: 'http://127.0.0.1', authorities: undefined }
  const place: ResticEngine['place'] = { at: 'elsewhere', url: '/nowhere', env: {}, options: [] }
  const engine: ResticEngine = {
    kind: 'restic',
    repositoryId: '',
    place,
    password: '',
    init: false,
    host: '',
    tags: [],
  }
  const taken: string[] = []
  const take = async (id: string, content: Readable) => {
    taken.push(id)
    await buffer(content)
  }
  const outcome = await sendListing(settings, engine, 'abc', take, new AbortController().signal)
  // An error that nobody hears would end the agent now.
  await turn()
  return { outcome, taken }
}

test('restic that fails before it has said anything ends neither the backup nor the agent', async () => {
  const { outcome, taken } = await listing('process.exitCode = 130')
  expect(outcome).toEqual({ id: undefined, isSent: false })
  expect(taken).toEqual([])
})

test('a list that breaks off is not taken for a whole one', async () => {
  const snapshot = JSON.stringify({ struct_type: 'snapshot', id: 'abcdef' })
  const { outcome, taken } = await listing(`process.stdout.write('${snapshot}\\n{"path":'); process.exitCode = 1`)
  expect(outcome).toEqual({ id: 'abcdef', isSent: false })
  expect(taken).toEqual(['abcdef'])
})
