import { randomBytes } from 'node:crypto'
import { expect, test } from 'vitest'
import { Draw } from '../snapshot-index/draw.ts'
import type { FilePair } from '../snapshot-index/index.ts'
import { headBytes } from './content.ts'
import { lookInto } from './heads.ts'
import { areSpoiled, firstLook, pairsLookedInto } from './verdict.ts'

const text = (version: string) => Buffer.from(`${version} name;amount\nAda;12\n`.repeat(100))
const noise = randomBytes(headBytes)

const pair = (isEncrypted: boolean): FilePair => ({
  how: 'changed',
  before: 'a text',
  after: isEncrypted ? 'noise' : 'another text',
})
/** So many changed files, of which some are encrypted. */
const files = (all: number, encrypted: number) => Array.from({ length: all }, (_, n) => pair(n < encrypted))

const look = (pairs: readonly FilePair[]) =>
  lookInto(pairs, async (of, path) => (path === 'noise' ? noise : text(`${of} ${path}`)))

test('when none of the first files is spoiled, or all are, the others are not looked into', async () => {
  const fewSpoiled = files(pairsLookedInto, pairsLookedInto - firstLook).reverse()
  expect(await look(fewSpoiled)).toEqual({ files: firstLook, spoiled: 0 })
  expect(await look(files(pairsLookedInto, firstLook))).toEqual({ files: firstLook, spoiled: firstLook })
})

test('when some are spoiled, all are looked into', async () => {
  expect(await look(files(pairsLookedInto, 3).reverse().with(0, pair(true)))).toEqual({ files: 30, spoiled: 4 })
  expect(await look(files(pairsLookedInto, 20).reverse())).toEqual({ files: pairsLookedInto, spoiled: 20 })
})

test('a few spoiled files are no attack, neither by their number nor by their share', () => {
  expect(areSpoiled({ files: 10, spoiled: 3 }, 1000)).toBe(false)
  expect(areSpoiled({ files: 10, spoiled: 4 }, 1000)).toBe(true)
  expect(areSpoiled({ files: 30, spoiled: 5 }, 1000)).toBe(false)
  expect(areSpoiled({ files: 30, spoiled: 6 }, 1000)).toBe(true)
  expect(areSpoiled({ files: 10, spoiled: 10 }, 19)).toBe(false)
})

test('chance does not hide an attack among as many other changes', async () => {
  const changed = files(850, 475)
  let missed = 0
  for (let play = 0; play < 500; play++) {
    const draw = new Draw<FilePair>(pairsLookedInto)
    for (const one of changed) draw.offer(one)
    if (!areSpoiled(await look(draw.drawn), changed.length)) missed++
  }
  // One in 15 000 is expected.
  expect(missed).toBeLessThan(3)
})
