import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { create, extract, list } from 'tar'
import { afterAll, expect, test } from 'vitest'
import { loadConfig } from '../config/config.ts'
import { Database } from '../db/database.ts'
import { databaseFile } from '../db/location.ts'
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

test('what a backup holds opens on another machine, readable by its owner only', async () => {
  const { config, secrets } = appliance('old')
  const sealed = secrets.encrypt('hello', 'test')
  const file = join(folder, 'old.tgz')
  await backUp(config, file)
  expect(lstatSync(file).mode & 0o777).toBe(0o600)
  const target = configIn('new')
  await restore(target, file)
  expect(openSecrets(target.dataDir).decrypt(sealed, 'test')).toBe('hello')
  await expect(backUp(config, file)).rejects.toThrow('exists already')
})

test('identity providers of the own network and their authorities come along', async () => {
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

test('an archive cannot bring links, or files that are not the appliance’s', async () => {
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
