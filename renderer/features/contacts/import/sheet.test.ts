import { expect, test } from 'vitest'
import { resultFile } from './result-file.ts'
import { type Sheet, sheetFrom, textOf } from './sheet.ts'

const bytes = (...values: number[]) => new Uint8Array(values).buffer

test.each([
  ['UTF-8', bytes(0xc3, 0x89), 'É'],
  ['UTF-8 with its mark', bytes(0xef, 0xbb, 0xbf, 0xc3, 0x89), 'É'],
  ['UTF-16 as Excel writes it', bytes(0xff, 0xfe, 0xc9, 0x00), 'É'],
  ['Windows-1252, which is no UTF-8', bytes(0xc9, 0x20, 0x80), 'É €'],
])('%s is read', (_, file, text) => {
  expect(textOf(file)).toBe(text)
})

test.each([
  ['a comma', 'Name,Email\nAda,a@x.test', ','],
  ['a semicolon', 'Name;Email\n"Ada; Countess";a@x.test', ';'],
  ['a tab', 'Name\tEmail\nAda\ta@x.test', '\t'],
])('%s between the cells is detected', (_, text, delimiter) => {
  expect(sheetFrom(text, 'list.csv')).toMatchObject({ delimiter, columns: ['Name', 'Email'] })
})

test('rows are numbered as in a spreadsheet, across blank rows and line breaks in cells', () => {
  const { rows, blankRows } = sheetFrom('\uFEFFName,Notes\r\n"Ada","one\r\ntwo"\r\n,\r\nBob,x\r\n', 'list.csv')
  expect(blankRows).toBe(1)
  expect(rows).toEqual([
    { number: 2, cells: ['Ada', 'one\r\ntwo'] },
    { number: 4, cells: ['Bob', 'x'] },
  ])
})

test.each([
  ['Name\nAda', 0],
  ['Name\nAda\n', 0],
  ['Name\nAda\n\n\n', 0],
  ['Name,Mail\n,\nAda,x\n\n ,\n,\n', 4],
])('%j leaves out %i blank rows', (text, blank) => {
  expect(sheetFrom(text, 'list.csv').blankRows).toBe(blank)
})

test('columns without a name are named by their position, also those that only a row has', () => {
  expect(sheetFrom('Name,\nAda,x,y', 'list.csv').columns).toEqual(['Name', 'Column 2', 'Column 3'])
})

test.each([
  ['', 'The file has no rows'],
  ['Name,Email\n', 'The file has no rows'],
  ['Name,Email\n"Ada,a@x.test\nBob,b@x.test', 'The quotation mark in row 2 is never closed.'],
  ['PK\u0003\u0004', 'This is a workbook'],
  ['a\0b', 'isn’t a text file'],
])('%j is refused', (text, words) => {
  expect(() => sheetFrom(text, 'list.csv')).toThrow(words)
})

const sheet: Sheet = sheetFrom('Name;Phone;Note\nAda;+49 30 1;=1+1\nBob;-5;"x;""y"""\n', 'list.csv')
const outcomes = new Map([
  [0, { kind: 'imported' as const, reason: '' }],
  [1, { kind: 'error' as const, reason: 'Column “Phone”: no' }],
])

test('no cell of a result is a formula, and its rows keep their columns and delimiter', () => {
  expect(resultFile(sheet, outcomes)).toBe(
    [
      '\uFEFFName;Phone;Note;Import outcome;Import reason',
      `Ada;"'+49 30 1";"'=1+1";Imported;`,
      `Bob;"'-5";"x;""y""";Not imported;Row 3. Column “Phone”: no`,
    ].join('\r\n'),
  )
})

test('the error rows of a result can be imported again as they were', () => {
  const again = sheetFrom(
    resultFile(sheet, outcomes, ({ kind }) => kind === 'error'),
    'list - errors.csv',
  )
  expect(again.columns).toEqual(sheet.columns)
  expect(again.rows).toEqual([{ number: 2, cells: ['Bob', '-5', 'x;"y"'] }])
})
