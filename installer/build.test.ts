import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { buildTargets } from './build.ts'
import { type Target, targets } from './targets.ts'

let root: string
let runs: number
let broken: boolean

const page: Target = {
  label: 'page',
  inputs: ['source', 'lock.json'],
  outDir: 'dist/page',
  async build(_root, outDir) {
    runs += 1
    if (broken) throw new Error('does not compile')
    writeFileSync(join(outDir, `page-${runs}.html`), 'hello')
  },
}

const build = (onlyIfStale = true) => buildTargets({ root, targets: { page }, names: ['page'], onlyIfStale })

beforeEach(() => {
  vi.spyOn(process.stdout, 'write').mockReturnValue(true)
  root = mkdtempSync(join(tmpdir(), 'homeport-build-'))
  runs = 0
  broken = false
  mkdirSync(join(root, 'source/deep'), { recursive: true })
  writeFileSync(join(root, 'source/deep/a.ts'), 'one')
  writeFileSync(join(root, 'lock.json'), '{}')
})
afterEach(() => {
  vi.restoreAllMocks()
  rmSync(root, { recursive: true })
})

test('builds once, then only when an input changed', async () => {
  expect(await build()).toEqual(['page'])
  expect(await build()).toEqual([])

  utimesSync(join(root, 'source/deep/a.ts'), new Date(), new Date(Date.now() + 1000))
  expect(await build()).toEqual(['page'])

  writeFileSync(join(root, 'source/b.ts'), 'new file')
  expect(await build()).toEqual(['page'])

  rmSync(join(root, 'source/b.ts'))
  expect(await build()).toEqual(['page'])

  writeFileSync(join(root, 'lock.json'), '{ "changed": true }')
  expect(await build()).toEqual(['page'])
  expect(await build()).toEqual([])
})

test('a changed test file causes no build', async () => {
  await build()
  writeFileSync(join(root, 'source/a.test.ts'), 'test')
  expect(await build()).toEqual([])
})

test('a missing output is built again, and so is everything without --if-stale', async () => {
  await build()
  rmSync(join(root, 'dist/page'), { recursive: true })
  expect(await build()).toEqual(['page'])
  expect(await build(false)).toEqual(['page'])
})

test('a new output replaces the old one whole', async () => {
  await build()
  await build(false)
  expect(readdirSync(join(root, 'dist/page'))).toEqual(['page-2.html'])
})

test('a failed build keeps the old output, leaves nothing behind and is tried again', async () => {
  await build()
  writeFileSync(join(root, 'source/b.ts'), 'broken')
  broken = true
  await expect(build()).rejects.toThrow('does not compile')
  expect(readdirSync(join(root, 'dist')).sort()).toEqual(['.stamp-page', 'page'])
  expect(readFileSync(join(root, 'dist/page/page-1.html'), 'utf8')).toBe('hello')
  broken = false
  expect(await build()).toEqual(['page'])
})

test('an unknown target is refused by name', async () => {
  await expect(buildTargets({ root, targets, names: ['consle'], onlyIfStale: true })).rejects.toThrow(
    'No such target: consle (there are console, agent, server, main)',
  )
})
