import { randomBytes } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import SQLite from 'better-sqlite3'
import { create, extract, list } from 'tar'
import { afterAll, expect, test } from 'vitest'
import { diskSteps } from '../../test/helpers/file-system.ts'
import { loadConfig } from '../config/config.ts'
import { Database } from '../db/database.ts'
import { databaseFile } from '../db/location.ts'
import { migrations } from '../db/migrations/index.ts'
import { lockDataDir } from '../platform/data-lock.ts'
import { openSecrets } from '../platform/secrets.ts'
import { backUp, restore } from './archive.ts'

const folder = mkdtempSync(join(tmpdir(), 'homeport-archive-'))
afterAll(() => rmSync(folder, { recursive: true }))
const configIn = (name: string) => loadConfig({ HOMEPORT_DATA_DIR: join(folder, name) })

/** A data folder as a first start leaves it, without certificates. */
function appliance(name: string) {
  const config = configIn(name)
  mkdirSync(config.dataDir)
  const db = new Database({ file: databaseFile(config.dataDir) })
  db.migrate()
  db.close()
  const secrets = openSecrets(config.dataDir)
  return { config, secrets }
}

test('a restored backup can decrypt its secrets elsewhere, and its file is readable by its owner only', async () => {
  const { config, secrets } = appliance('old')
  const sealed = secrets.encrypt('hello', 'test')
  const file = join(folder, 'old.tgz')
  await backUp(config, file)
  expect(lstatSync(file).mode & 0o777).toBe(0o600)
  const target = configIn('new')
  await restore(target, file)
  expect(openSecrets(target.dataDir).decrypt(sealed, 'test')).toBe('hello')
  await expect(backUp(config, file)).rejects.toThrow('already exists')
})

test.skipIf(process.platform === 'win32')(
  'a backup and a restore are synced to the disk before they return',
  async () => {
    const { config } = appliance('synced')
    const file = join(folder, 'synced.tgz')
    const written = await diskSteps(() => backUp(config, file))
    expect(written.slice(-3)).toEqual([expect.stringMatching(/^sync .*archive$/), `rename ${file}`, `sync ${folder}`])
    const { dataDir } = configIn('synced-again')
    const restored = await diskSteps(() => restore(configIn('synced-again'), file))
    for (const name of ['homeport.db', 'keyring.json']) {
      const renamed = restored.indexOf(`rename ${join(dataDir, name)}`)
      expect(restored.findIndex((step) => step.startsWith('sync') && step.endsWith(name))).toBeLessThan(renamed)
      expect(restored.indexOf(`sync ${dataDir}`, renamed)).toBeGreaterThan(renamed)
    }
  },
)

test('a backup contains the trusted identity providers of the own network and their authorities', async () => {
  const { config } = appliance('lan')
  mkdirSync(join(config.dataDir, 'ca'))
  writeFileSync(join(config.dataDir, 'ca', 'corp.pem'), 'a certificate')
  writeFileSync(join(config.dataDir, 'sso-trust.json'), '{"version":1}')
  const file = join(folder, 'lan.tgz')
  await backUp(config, file)
  const target = configIn('lan-again')
  await restore(target, file)
  expect(readFileSync(join(target.dataDir, 'sso-trust.json'), 'utf8')).toBe('{"version":1}')
  expect(readFileSync(join(target.dataDir, 'ca', 'corp.pem'), 'utf8')).toBe('a certificate')
})

test('a restore ignores links and files in the archive that are not the appliance’s', async () => {
  const { config } = appliance('honest')
  await backUp(config, join(folder, 'honest.tgz'))
  const work = join(folder, 'forged')
  mkdirSync(work)
  await extract({ file: join(folder, 'honest.tgz'), cwd: work })
  rmSync(join(work, 'keyring.json'))
  symlinkSync('/etc/passwd', join(work, 'keyring.json'))
  symlinkSync(folder, join(work, 'tls'))
  mkdirSync(join(work, 'other'))
  const forged = join(folder, 'forged.tgz')
  await create({ file: forged, cwd: work, gzip: true }, ['homeport.db', 'keyring.json', 'tls', 'other'])
  const names: string[] = []
  await list({ file: forged, onReadEntry: ({ path }) => void names.push(path) })
  expect(names).toEqual(['homeport.db', 'keyring.json', 'tls', 'other/'])
  const target = configIn('victim')
  await restore(target, forged)
  const arrived = ['homeport.db', 'keyring.json', 'tls', 'other'].map((name) => existsSync(join(target.dataDir, name)))
  expect(arrived).toEqual([true, false, false, false])
})

/** Everything below a folder, files with their content. */
function contentOf(dir: string): Record<string, string> {
  const entries = readdirSync(dir, { recursive: true, withFileTypes: true })
  const content = entries.map((entry): [string, string] => {
    const path = join(entry.parentPath, entry.name)
    return [path, entry.isFile() ? readFileSync(path, 'base64') : 'a folder']
  })
  return Object.fromEntries(content.sort())
}

async function archiveOf(name: string, files: Record<string, (path: string) => void>): Promise<string> {
  const work = mkdtempSync(join(folder, 'work-'))
  for (const [file, write] of Object.entries(files)) write(join(work, file))
  const archive = join(folder, `${name}.tgz`)
  await create({ file: archive, cwd: work, gzip: true }, Object.keys(files))
  return archive
}

function foreignDatabase(path: string): void {
  const db = new SQLite(path)
  db.exec('CREATE TABLE notes (text TEXT); CREATE TABLE migrations (id INTEGER PRIMARY KEY, name TEXT)')
  db.close()
}

function newerDatabase(path: string): void {
  const db = new Database({ file: path })
  db.migrate([...migrations, { name: '999-tomorrow', sql: 'CREATE TABLE tomorrow (id TEXT) STRICT' }])
  db.close()
}

function damagedDatabase(path: string): void {
  const db = new Database({ file: path })
  db.migrate()
  db.close()
  const bytes = readFileSync(path)
  writeFileSync(path, bytes.fill(0x5a, 8192))
}

const written = (name: string, content: string | Buffer): string => {
  writeFileSync(join(folder, name), content)
  return join(folder, name)
}

async function partOfBackup(name: string, keep: (length: number) => number): Promise<string> {
  const whole = join(folder, `${name}-whole.tgz`)
  await backUp(appliance(name).config, whole)
  const bytes = readFileSync(whole)
  return written(`${name}.tgz`, bytes.subarray(0, keep(bytes.length)))
}

const noBackup = 'is not a backup of a Homeport appliance, or it is damaged; nothing was changed'
const refused: Record<string, { file: () => string | Promise<string>; says: string }> = {
  'a missing file': { file: () => join(folder, 'nowhere.tgz'), says: 'File not found' },
  'a folder': { file: () => folder, says: 'is not a file' },
  'an empty file': { file: () => written('empty.tgz', ''), says: noBackup },
  'a text': { file: () => written('letter.txt', 'Dear reader, '.repeat(1000)), says: noBackup },
  'random bytes': { file: () => written('random.bin', randomBytes(20_000)), says: noBackup },
  'the first bytes of a backup': { file: () => partOfBackup('first', () => 100), says: noBackup },
  'half a backup': { file: () => partOfBackup('half', (length) => length / 2), says: noBackup },
  'a backup without its last byte': { file: () => partOfBackup('almost', (length) => length - 1), says: noBackup },
  'an archive of something else': {
    file: () => archiveOf('letters', { 'letter.txt': (path) => writeFileSync(path, 'Dear reader') }),
    says: noBackup,
  },
  'a database of another program': {
    file: () => {
      foreignDatabase(join(folder, 'notes.db'))
      return join(folder, 'notes.db')
    },
    says: noBackup,
  },
  'an archive with a database of another program': {
    file: () => archiveOf('foreign', { 'homeport.db': foreignDatabase }),
    says: noBackup,
  },
  'an archive with a text for a database': {
    file: () => archiveOf('text', { 'homeport.db': (path) => writeFileSync(path, 'Dear reader') }),
    says: noBackup,
  },
  'an archive with a folder for a database': {
    file: () => archiveOf('folder', { 'homeport.db': (path) => mkdirSync(path) }),
    says: noBackup,
  },
  'a backup with a damaged database': {
    file: () => archiveOf('damaged', { 'homeport.db': damagedDatabase }),
    says: 'damaged',
  },
  'a backup of a newer version': {
    file: () => archiveOf('newer', { 'homeport.db': newerDatabase }),
    says: 'written by a newer version of Homeport (999-tomorrow); update this one',
  },
}

test.each(Object.entries(refused))('%s is refused, and leaves nothing behind', async (name, { file, says }) => {
  const { config } = appliance(`present ${name}`)
  const source = await file()
  const before = contentOf(config.dataDir)
  await expect(restore(config, source)).rejects.toThrow(says)
  expect(contentOf(config.dataDir)).toEqual(before)
  const nowhere = configIn(`absent ${name}`)
  await expect(restore(loadConfig({ HOMEPORT_DATA_DIR: join(nowhere.dataDir, 'deep') }), source)).rejects.toThrow(says)
  expect(existsSync(nowhere.dataDir)).toBe(false)
})

test('a restore is refused while the appliance is running', async () => {
  const { config } = appliance('running')
  const file = join(folder, 'running.tgz')
  await backUp(config, file)
  const lock = lockDataDir(config.dataDir, 'serve')
  const before = contentOf(config.dataDir)
  await expect(restore(config, file)).rejects.toThrow(`Another Homeport is running on ${config.dataDir}`)
  expect(contentOf(config.dataDir)).toEqual(before)
  lock.release()
  expect(await restore(config, file)).toMatch(/^Restored running\.tgz into \S+\. What was there before is in \S+\.$/)
})

test('a backup into a missing folder is refused', async () => {
  const { config } = appliance('homeless')
  await expect(backUp(config, join(folder, 'nowhere', 'x.tgz'))).rejects.toThrow('There is no folder')
})
