import { expect, test } from 'vitest'
import { changeWords } from './change-words.ts'

const numbers = {
  filesBefore: 1200,
  changed: 0,
  added: 0,
  removed: 0,
  replaced: 0,
  renamed: 0,
  newEnding: null,
  looked: null,
}

test('says how many files changed, what their names end in, and what the appliance saw in them', () => {
  const newEnding = { text: '.locked', files: 640 }
  const looked = { files: 10, spoiled: 9 }
  expect(changeWords({ ...numbers, changed: 20, replaced: 700, renamed: 640, newEnding, looked })).toEqual([
    '720 of 1,200 files changed or came under another name.',
    'The names of 640 now end in “.locked”.',
    'The appliance looked into 10 files: 9 could be read before and can’t be read now.',
  ])
})

test('says so when the list of files shows nothing, and when no file could be looked into', () => {
  expect(changeWords({ ...numbers, looked: { files: 10, spoiled: 10 } })[0]).toMatch(/shows no change/)
  expect(changeWords({ ...numbers, changed: 900 })[1]).toMatch(/couldn’t look into the files/)
})
