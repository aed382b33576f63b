import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { leftoversIn } from './leftovers.ts'

function scene() {
  const folder = mkdtempSync(join(tmpdir(), 'homeport-leftovers-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const put = (...names: string[]) => {
    for (const name of names) {
      mkdirSync(join(folder, name), { recursive: true })
      writeFileSync(join(folder, name, 'password'), 'secret')
    }
  }
  return { folder, put, names: () => readdirSync(folder).sort() }
}

test('what a killed process left goes, and what this one has made meanwhile stays', async () => {
  const { folder, put, names } = scene()
  put('run-old', 'other')
  const removeAll = leftoversIn(folder)
  const removeRuns = leftoversIn(folder, 'run-')
  put('run-new')
  await removeRuns()
  expect(names()).toEqual(['other', 'run-new'])
  await removeAll()
  expect(names()).toEqual(['run-new'])
})

test('a folder that is not there yet has none', async () => {
  const { folder, put, names } = scene()
  const remove = leftoversIn(join(folder, 'later'))
  put('later/run-new')
  await remove()
  expect(names()).toEqual(['later'])
  expect(readdirSync(join(folder, 'later'))).toEqual(['run-new'])
})
