import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  chmodSync,
  chownSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { atLength } from '../helpers/thorough.ts'
import { backupScene } from './scene.ts'

/** What is hard to bring back as it was, from a policy to the restored files. */

const isRoot = process.getuid?.() === 0
const longest = `${'n'.repeat(251)}.txt`

const names = [
  'Grüße aus Köln.txt',
  'Gru\u0308ße zerlegt.txt',
  '日本語 и кириллица 🏠.txt',
  longest,
  '字'.repeat(85),
  '  spaces  around  ',
  'trailing dots...',
  '...',
  '-rf',
  'star * and [brackets] and ? and $HOME and !',
  'back\\slash',
  'two\nlines',
  '"quotes\' and `ticks`',
  'CON',
  '#hash;semicolon|pipe',
]

function fill(source: string): void {
  const file = (name: string) => join(source, name)
  mkdirSync(file('names'))
  for (const name of names) writeFileSync(join(file('names'), name), name)
  // A name in Latin-1, which is no UTF-8.
  writeFileSync(Buffer.concat([Buffer.from(`${file('names')}/caf`), Buffer.from([0xe9])]), 'latin')
  mkdirSync(file('empty/deeper'), { recursive: true })
  mkdirSync(join(file('deep'), ...Array.from({ length: 40 }, (_, n) => `level ${n}`)), { recursive: true })
  writeFileSync(file('nothing in it'), '')
  writeFileSync(file('one'), 'linked')
  linkSync(file('one'), file('the same'))
  symlinkSync('one', file('link'))
  symlinkSync('nowhere/at all', file('dangling'))
  symlinkSync('.', file('circle'))
  symlinkSync('/etc', file('outside'))
  writeFileSync(file('sparse'), 'begin')
  truncateSync(file('sparse'), 16 * 1024 * 1024)
  appendFileSync(file('sparse'), 'end')
  for (const mode of [0o000, 0o400, 0o755, 0o4755, 0o2750, 0o1644]) {
    writeFileSync(file(`mode ${mode.toString(8)}`), 'mode')
    chmodSync(file(`mode ${mode.toString(8)}`), mode)
  }
  mkdirSync(file('closed folder'))
  writeFileSync(file('closed folder/inside'), 'inside')
  chmodSync(file('closed folder'), 0o1500)
  if (isRoot) chownSync(file('one'), 12345, 54321)
  execFileSync('mkfifo', [file('pipe')])
  for (const [name, year] of [
    ['one', 1971],
    ['nothing in it', 2038],
    ['closed folder', 1999],
    ['empty', 2001],
  ] as const)
    utimesSync(file(name), new Date(Date.UTC(year, 1, 3)), new Date(Date.UTC(year, 1, 3, 4, 5, 6, 789)))
}

/** Everything that there is to say of what lies in a folder, by its name in bytes. */
function pictureOf(folder: string | Buffer, path = ''): Record<string, object> {
  const all: Record<string, object> = {}
  for (const name of readdirSync(folder, { encoding: 'buffer' })) {
    const full = Buffer.concat([Buffer.from(folder), Buffer.from('/'), name])
    const shown = `${path}/${name.toString('latin1')}`
    const { mode, mtimeMs, uid, gid, size, nlink } = lstatSync(full)
    const found = lstatSync(full)
    const owned = { mode: mode.toString(8), uid, gid }
    if (found.isDirectory()) {
      all[shown] = { ...owned, at: Math.floor(mtimeMs / 1000) }
      Object.assign(all, pictureOf(full, shown))
    } else if (found.isSymbolicLink()) all[shown] = { link: readlinkSync(full) }
    else if (!found.isFile()) all[shown] = owned
    else
      all[shown] = {
        ...{ ...owned, at: Math.floor(mtimeMs), size, nlink },
        sha256: createHash('sha256').update(readFileSync(full)).digest('hex'),
      }
  }
  return all
}

test('names, links, modes, times and empty folders come back to another folder and in place as they were', async () => {
  const at = await backupScene()
  fill(at.source)
  const before = pictureOf(at.source)
  const agent = at.device.start()
  await at.isReady(at.device.id)
  const job = await at.ended(await at.run())
  expect(job, agent.output()).toMatchObject({ status: 'completed', errorLog: null, errorCount: 0 })
  const snapshotId = job.snapshotRowId

  const target = join(at.folder, 'back')
  const elsewhere = await at.restored({ snapshotId, restoreType: 'full', targetPath: target })
  expect(pictureOf(join(target, at.source))).toEqual(before)
  expect(elsewhere).toMatchObject({ status: 'completed', resultDetails: { filesFailed: 0, failedFiles: [] } })

  rmSync(at.source, { recursive: true })
  const inPlace = await at.restored({ snapshotId, restoreType: 'full', inPlace: true })
  expect(pictureOf(at.source)).toEqual(before)
  expect(inPlace).toMatchObject({ status: 'completed', resultDetails: { filesFailed: 0 } })

  // Beside what was changed since, however long the name is.
  writeFileSync(join(at.source, 'names', longest), 'changed')
  const selectedPaths = names.map((name) => join(at.source, 'names', name))
  const beside = await at.restored({ snapshotId, restoreType: 'selective', selectedPaths, inPlace: true })
  expect(beside).toMatchObject({ status: 'completed', resultDetails: { filesRenamed: 1, filesFailed: 0 } })
  expect(readFileSync(join(at.source, 'names', longest), 'utf8')).toBe('changed')
  const both = readdirSync(join(at.source, 'names')).filter((name) => name.startsWith('nnn'))
  expect(both.map((name) => readFileSync(join(at.source, 'names', name), 'utf8')).sort()).toEqual(['changed', longest])
})

atLength('files that change while they are read come back as they were at some moment', async () => {
  const at = await backupScene({ limitMbps: 80 })
  at.device.start()
  await at.isReady(at.device.id)
  at.addFiles('large')
  const changing = join(at.source, 'changing')
  writeFileSync(changing, '')
  const line = 'one line of a log that is written all the time\n'
  const writing = setInterval(() => {
    appendFileSync(changing, line.repeat(1000))
    const comes = join(at.source, 'comes and goes')
    rmSync(comes, { force: true })
    writeFileSync(comes, line)
  }, 5)
  onTestFinished(() => clearInterval(writing))
  const job = await at.ended(await at.run())
  clearInterval(writing)
  expect(job.status).toBe('completed')
  const target = join(at.folder, 'back')
  const outcome = await at.restored({ snapshotId: job.snapshotRowId, restoreType: 'full', targetPath: target })
  expect(outcome.status).toBe('completed')
  const content = readFileSync(join(target, changing), 'utf8')
  const isAsWritten = content === line.repeat(Math.ceil(content.length / line.length)).slice(0, content.length)
  expect(isAsWritten, `${content.length} bytes, the first zero at ${content.indexOf('\0')}`).toBe(true)
  expect(readFileSync(join(target, at.source, 'large')).equals(readFileSync(join(at.source, 'large')))).toBe(true)
})

// Nothing is unreadable for the administrator.
test.skipIf(!isRoot)('what the agent may not read is named, and the rest is backed up', async () => {
  const at = await backupScene()
  for (const folder of [at.folder, at.source]) chmodSync(folder, 0o755)
  for (let n = 0; n < 30; n++) writeFileSync(join(at.source, `readable ${n}`), `${n}`, { mode: 0o644 })
  writeFileSync(join(at.source, 'secret'), 'secret', { mode: 0o600 })
  mkdirSync(join(at.source, 'closed'), { mode: 0o700 })
  writeFileSync(join(at.source, 'closed', 'inside'), 'inside')
  at.device.startAsNobody()
  await at.isReady(at.device.id)
  const job = await at.ended(await at.run())
  expect(job).toMatchObject({
    status: 'completed',
    errorCount: 2,
    errorLog: '2 files or folders could not be read',
    unreadFiles: [
      // restic 0.14 gives no reason for a folder.
      { path: join(at.source, 'closed'), error: expect.stringMatching(/^(cannot be read|access denied)$/) },
      { path: join(at.source, 'secret'), error: 'access denied' },
    ],
  })
  await at.assertTruth()
})
