import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { PreviewPayload } from '../../shared/device/backup-preview.ts'
import { scratchFolder } from '../testing/restic.ts'
import { Exclusions } from './exclusions.ts'
import { type PreviewRun, previewBackup } from './preview.ts'

/** That the same files match as with restic is shown in test/flows/backup-preview-restic.thorough.test.ts. */

function scene() {
  const root = scratchFolder()
  const write = (path: string, bytes: number) => {
    mkdirSync(join(root, path, '..'), { recursive: true })
    writeFileSync(join(root, path), Buffer.alloc(bytes))
  }
  write('ada/docs/report', 300)
  write('ada/docs/2025/a/b/c/deep', 40)
  write('ada/.cache/x', 1000)
  write('ada/photos/one', 500)
  write('bob/notes', 10)
  write('bob/.cache/y', 1000)
  const preview = (payload: Partial<PreviewPayload> = {}, more: Partial<PreviewRun> = {}) =>
    previewBackup({
      payload: { paths: [root], excludes: [], ...payload },
      cacheFolder: null,
      signal: new AbortController().signal,
      ...more,
    })
  return { root, preview }
}

test('it says how much there is, the largest folders first, and what each pattern leaves out', async () => {
  const { root, preview } = scene()
  const found = await preview({ excludes: ['.cache', '*.iso'] })
  expect(found).toMatchObject({ files: 4, bytes: 850, isWhole: true, missing: [], unreadable: { count: 0 } })
  expect(found.largest).toEqual([
    { path: root, files: 4, bytes: 850 },
    { path: join(root, 'ada'), files: 3, bytes: 840 },
    { path: join(root, 'ada/photos'), files: 1, bytes: 500 },
    { path: join(root, 'ada/docs'), files: 2, bytes: 340 },
    { path: join(root, 'ada/docs/2025'), files: 1, bytes: 40 },
    { path: join(root, 'bob'), files: 1, bytes: 10 },
  ])
  expect(found.leftOut).toEqual([
    { pattern: '.cache', count: 2, example: expect.stringMatching(/\.cache$/) },
    { pattern: '*.iso', count: 0, example: null },
  ])
})

test('a file is enough, what is named twice counts once, and what is not there is said', async () => {
  const { root, preview } = scene()
  const [ada, docs, notes, gone] = ['ada', 'ada/docs', 'bob/notes', 'gone'].map((name) => join(root, name))
  const found = await preview({ paths: [ada, docs, `${ada}/`, notes, gone] as string[] })
  expect(found).toMatchObject({ files: 5, bytes: 1850, missing: [gone] })
  expect(await preview({ paths: [gone as string] })).toMatchObject({ files: 0, missing: [gone], isWhole: true })
})

test('links are not followed, also not one that is named', async () => {
  const { root, preview } = scene()
  symlinkSync(join(root, 'ada'), join(root, 'bob', 'link'))
  symlinkSync(root, join(root, 'bob', 'round'))
  expect(await preview({ paths: [join(root, 'bob')] })).toMatchObject({ files: 2, bytes: 1010 })
  expect(await preview({ paths: [join(root, 'bob', 'link')] })).toMatchObject({ files: 0, missing: [] })
})

test('names that are no UTF-8 count, too', async () => {
  const { root, preview } = scene()
  const made = spawnSync('sh', ['-c', 'printf 12345 > "$(printf \'a\\377b\')"; mkdir "$(printf \'d\\377\')"'], {
    cwd: join(root, 'bob'),
  })
  expect(made.status).toBe(0)
  expect(await preview({ paths: [join(root, 'bob')] })).toMatchObject({
    files: 3,
    bytes: 1015,
    unreadable: { count: 0 },
  })
})

test('it ends when there is too much, and says that there is more', async () => {
  const { preview } = scene()
  const few = await preview({}, { bounds: { milliseconds: 60_000, entries: 3 } })
  expect(few.isWhole).toBe(false)
  expect(few.files).toBeLessThan(6)
  expect((await preview({}, { bounds: { milliseconds: 0, entries: 1000 } })).isWhole).toBe(false)
})

test('it ends when it is canceled', async () => {
  const { preview } = scene()
  const cancel = new AbortController()
  const going = preview({}, { signal: cancel.signal })
  cancel.abort(new Error('cancelled'))
  await expect(going).rejects.toThrow('cancelled')
})

test('what restic keeps for itself is not counted', async () => {
  const { root, preview } = scene()
  expect(await preview({}, { cacheFolder: join(root, 'ada', '.cache') })).toMatchObject({ files: 5, leftOut: [] })
})

test.each([
  ['win32', 'C:\\Users\\Ada\\AppData\\Local\\Temp\\x', 'AppData/Local/Temp', true],
  ['win32', 'C:\\Users\\Ada\\THUMBS.DB', 'Thumbs.db', true],
  ['win32', 'C:\\$Recycle.Bin', '$RECYCLE.BIN', true],
  ['win32', 'C:\\pagefile.sys', 'c:\\pagefile.sys', true],
  ['win32', 'D:\\pagefile.sys', 'C:\\pagefile.sys', false],
  ['linux', '/home/ada/Thumbs.db', 'thumbs.db', false],
  ['linux', '/data/etc', '/etc', false],
  ['linux', '/etc/passwd', '/etc', true],
] as const)('on %s %s with the pattern %s: %s', (platform, path, pattern, isLeftOut) => {
  expect(new Exclusions([pattern], platform).patternFor(path) !== undefined).toBe(isLeftOut)
})

test.each([
  [`${'*a'.repeat(250)}*b`, `/home/${'a'.repeat(255)}`],
  [`${'**/a/'.repeat(90)}b`, '/a'.repeat(500)],
  [`/${'**/*a*a/'.repeat(50)}b`, `/${'a'.repeat(50)}`.repeat(80)],
])('a pattern of many wildcards takes no time: %s', (pattern, path) => {
  expect(new Exclusions([pattern]).patternFor(path)).toBeUndefined()
  expect(new Exclusions([pattern]).patternFor(`${path}b`) === undefined).toBe(!pattern.startsWith('*a'))
})
