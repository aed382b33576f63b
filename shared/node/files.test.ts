import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { diskSteps, withFileSystem } from '../../test/helpers/file-system.ts'
import { copyFileDurably, writeFileDurably } from './files.ts'

const isWindows = process.platform === 'win32'

let folder: string
const file = () => join(folder, 'keys.json')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeport-files-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a file is replaced, no draft is left, and only its owner may read it', () => {
  writeFileSync(file(), 'old', { mode: 0o644 })
  writeFileDurably(file(), 'new')
  expect(readFileSync(file(), 'utf8')).toBe('new')
  writeFileDurably(file(), new Uint8Array([1, 2]))
  expect([...readFileSync(file())]).toEqual([1, 2])
  expect(readdirSync(folder)).toEqual(['keys.json'])
  if (!isWindows) expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test('a draft that others can read, left by a crash, does not pass its permissions on', () => {
  writeFileSync(`${file()}.tmp`, 'half', { mode: 0o644 })
  writeFileDurably(file(), 'new')
  if (!isWindows) expect(statSync(file()).mode & 0o777).toBe(0o600)
  expect(readdirSync(folder)).toEqual(['keys.json'])
})

test('a copy replaces a file whole, with its own permissions', () => {
  const from = join(folder, 'program')
  writeFileSync(from, 'new', { mode: 0o755 })
  writeFileSync(file(), 'old', { mode: 0o600 })
  copyFileDurably(from, file())
  expect(readFileSync(file(), 'utf8')).toBe('new')
  if (!isWindows) expect(statSync(file()).mode & 0o777).toBe(0o755)
  expect(() => copyFileDurably(join(folder, 'missing'), file())).toThrow('ENOENT')
  expect(readFileSync(file(), 'utf8')).toBe('new')
  expect(readdirSync(folder).sort()).toEqual(['keys.json', 'program'])
})

/** A full disk: the system writes as much as fits and says so only by the number of bytes written. */
test.skipIf(isWindows)('when the new file does not fit on the disk, the old one stays', () => {
  writeFileSync(file(), 'good')
  const large = join(folder, 'large')
  writeFileSync(large, 'x'.repeat(200_000))
  const [source, to, from] = [join(import.meta.dirname, 'files.ts'), file(), large].map((text) => JSON.stringify(text))
  const write = `import { copyFileDurably, writeFileDurably } from ${source}
    for (const write of [() => writeFileDurably(${to}, 'x'.repeat(200_000)), () => copyFileDurably(${from}, ${to})])
      try { write() } catch (error) { console.log(error.code) }`
  const limited = ['-c', 'ulimit -f 100; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', write]
  expect(execFileSync('sh', limited, { encoding: 'utf8' })).toBe('EFBIG\nEFBIG\n')
  expect(readFileSync(file(), 'utf8')).toBe('good')
  expect(readdirSync(folder).sort()).toEqual(['keys.json', 'large'])
})

test('a write that fails leaves the good file and no draft', async () => {
  writeFileSync(file(), 'good')
  const fails = () => {
    throw new Error('EIO: i/o error')
  }
  for (const step of ['fsyncSync', 'renameSync'])
    await expect(withFileSystem({ [step]: fails }, () => writeFileDurably(file(), 'new'))).rejects.toThrow('EIO')
  expect(readFileSync(file(), 'utf8')).toBe('good')
  expect(readdirSync(folder)).toEqual(['keys.json'])
})

test.skipIf(isWindows)('content, rename and folder are synced to the disk in this order', async () => {
  const steps = await diskSteps(() => writeFileDurably(file(), 'new'))
  expect(steps).toEqual([`sync ${file()}.tmp`, `rename ${file()}`, `sync ${folder}`])
})
