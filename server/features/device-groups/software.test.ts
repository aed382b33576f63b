import fc from 'fast-check'
import { expect, test } from 'vitest'
import { freshDatabase } from '../../../test/helpers/test-app.ts'
import type { Database } from '../../db/database.ts'
import { Software, wantedNames } from './software.ts'

const device = 'd'

/** Has the software of one device, without the rows that its foreign keys refer to. */
function databaseWith(names: readonly string[]): Database {
  const db = freshDatabase()
  db.transactionUnchecked(() => {
    db.statement(
      `INSERT INTO device_reports (device_id, kind, content, content_hash, reported_at) VALUES (?, 'software', '2', '', '')`,
    ).run(device)
    const insert = db.statement('INSERT INTO device_software (device_id, report, name, position) VALUES (?, ?, ?, ?)')
    names.forEach((name, position) => {
      insert.run(device, 2, name, position)
    })
    // A list that is being written, and one of another device.
    insert.run(device, 3, 'Never there', 0)
    insert.run('other', 2, 'Not here', 0)
  })
  return db
}

function through<Result>(steps: Generator<void, Result>): { result: Result; pauses: number } {
  for (let pauses = 0; ; pauses++) {
    const step = steps.next()
    if (step.done) return { result: step.value, pauses }
  }
}

const asked = (parts: string[], names: string[] = []) => ({ parts: new Set(parts), names: new Set(names) })

const name = fc.oneof(
  fc.constantFrom('LibreOffice', 'libreoffice', 'ÄPFEL', 'äpfel', 'Σίγμας', 'a', 'a\tb'),
  fc.string({ minLength: 1, maxLength: 5, unit: 'grapheme' }).filter((text) => !text.includes('\0')),
)

test('lookups by whole name and by part agree with a case-insensitive comparison of every name', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(name, { maxLength: 30 }),
      fc.array(name, { minLength: 1, maxLength: 5 }),
      (names, wanted) => {
        const db = databaseWith(names)
        const small = wanted.map((text) => text.toLowerCase())
        const there = names.map((text) => text.toLowerCase())
        const software = new Software(db, device, asked(small, small))
        for (const part of small)
          expect(through(software.contains(part)).result).toBe(there.some((text) => text.includes(part)))
        const called = through(software.called(wantedNames(small))).result
        expect([...called].sort()).toEqual([...new Set(small.filter((text) => there.includes(text)))].sort())
        db.close()
      },
    ),
    { numRuns: 40 },
  )
})

test('3000 names are read once for all parts asked, with pauses in between', () => {
  const names = Array.from({ length: 3000 }, (_, n) => `package ${n}`)
  const db = databaseWith(names)
  const software = new Software(db, device, asked(['nowhere', 'not here', 'not yet', 'age 29']))
  const { result, pauses } = through(software.contains('nowhere'))
  expect([result, pauses > 15]).toEqual([false, true])
  const others = ['not here', 'not yet', 'age 29'].map((part) => through(software.contains(part)))
  expect(others).toEqual([
    { result: false, pauses: 0 },
    { result: false, pauses: 0 },
    { result: true, pauses: 0 },
  ])
  db.close()
})

test('non-ASCII names are found without iterating over all names asked', () => {
  const db = databaseWith(Array.from({ length: 3000 }, (_, n) => `Päckage ${n}`))
  const all = new Set(['päckage 7', 'päckage 2999', 'päckage'])
  // Iterating over thousands of asked names for each page would block the event loop.
  const names = Object.assign(all, {
    [Symbol.iterator]: () => {
      throw new Error('looked through')
    },
  })
  const software = new Software(db, device, { parts: new Set(), names })
  const { result } = through(software.called(wantedNames(['päckage 7', 'päckage 2999', 'päckage'])))
  expect([...result].sort()).toEqual(['päckage 2999', 'päckage 7'])
  db.close()
})

test('whole ASCII names are looked up without reading the list', () => {
  const db = databaseWith(Array.from({ length: 3000 }, (_, n) => `Package ${n}`))
  const software = new Software(db, device, asked([]))
  const { result, pauses } = through(software.called(wantedNames(['package 7', 'package 2999', 'package'])))
  expect([[...result].sort(), pauses]).toEqual([['package 2999', 'package 7'], 0])
  db.close()
})

test('a device that never reported its software has none', () => {
  const db = freshDatabase()
  expect(through(new Software(db, device, asked(['a'])).contains('a')).result).toBe(false)
  db.close()
})
