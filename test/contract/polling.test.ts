import { readFileSync } from 'node:fs'
import { glob } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '../..')
const waits = ['agent/testing/scene.ts', 'test/helpers/eventually.ts']

test('only the listed tests wait by vi.waitFor, which is too short for a busy machine', async () => {
  const found: string[] = []
  const folders = '{agent,bench,installer,main,renderer,server,shared,test}/**/*.{ts,tsx}'
  for await (const file of glob(folders, { cwd: root, exclude: (name) => name === 'node_modules' || name === 'dist' }))
    if (/\bvi\.wait(For|Until)\(/.test(readFileSync(join(root, file), 'utf8'))) found.push(file.replaceAll('\\', '/'))
  expect(found.sort()).toEqual(waits)
})
