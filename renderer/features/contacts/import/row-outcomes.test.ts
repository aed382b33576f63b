import { expect, test } from 'vitest'
import type { PreviewedRow } from '../../../../shared/api/contact-import.ts'
import type { Mapping } from './column-mapping.ts'
import { rowsFrom } from './column-mapping.ts'
import { finalOutcomes, isSelected, outcomesOf, verdictsOf, withAcknowledgement } from './row-outcomes.ts'
import { sheetFrom } from './sheet.ts'

const orgId = '019c0000-0000-7000-8000-000000000001'
const ada = '019c0000-0000-7000-8000-00000000000a'
const eve = '019c0000-0000-7000-8000-00000000000e'
const sheet = sheetFrom('Who,Mail,Ref\nAda,a@x.test,1\nBob,b@x.test,\nCarl,nobody,\nDora,d@x.test,1\n', 'list.csv')
const mapping: Mapping = {
  targets: ['name', 'email', 'externalId'],
  isLastNameFirst: false,
  isOneOrganization: true,
  orgId,
  partnerId: null,
  system: '',
}
const rows = rowsFrom(sheet, mapping)
const rowPreview = (index: number, change: Partial<PreviewedRow> = {}): [number, PreviewedRow] => [
  index,
  { ...rows[index]?.row, index, annotation: 'create', organizationId: orgId, siteId: null, contactId: null, ...change },
]
const verdicts = (...previewed: [number, PreviewedRow][]) => verdictsOf(rows, new Map(previewed), sheet, mapping)
const noSelection = { leftOut: new Set<number>(), confirmed: new Map<number, string>() }

test('a row that cannot be sent, and an id that occurs twice in different batches, are conflicts', () => {
  const all = verdicts(rowPreview(0), rowPreview(1), rowPreview(3))
  expect([...all].map(([index, { annotation, reason }]) => [index, annotation, reason])).toEqual([
    [0, 'conflict', 'Column “Ref”: another row in this file has the same'],
    [1, 'create', null],
    [2, 'conflict', 'Column “Mail”: not an email address'],
    [3, 'conflict', 'Column “Ref”: another row in this file has the same'],
  ])
})

test('a matched contact is updated only when that was ticked, and for that contact only', () => {
  const [match] = verdicts(rowPreview(1, { annotation: 'email-match', contactId: ada })).values()
  const is = (selection: typeof noSelection) => match && isSelected(1, match, selection)
  expect(is(noSelection)).toBe(false)
  expect(is({ ...noSelection, confirmed: new Map([[1, ada]]) })).toBe(true)
  expect(is({ ...noSelection, confirmed: new Map([[1, eve]]) })).toBe(false)
})

test('a row that needs no confirmation can be left out', () => {
  const [create] = verdicts(rowPreview(1)).values()
  expect(create && isSelected(1, create, noSelection)).toBe(true)
  expect(create && isSelected(1, create, { ...noSelection, leftOut: new Set([1]) })).toBe(false)
})

test('a row is sent with the preview that was shown, unless its id makes it safe to send again', () => {
  const [linked, plain] = rows as [(typeof rows)[0], (typeof rows)[0]]
  expect(withAcknowledgement(linked, { annotation: 'create', contactId: null })).not.toHaveProperty(
    'expectedAnnotation',
  )
  expect(withAcknowledgement(plain, { annotation: 'create', contactId: null })).toMatchObject({
    expectedAnnotation: 'create',
  })
  expect(withAcknowledgement(plain, { annotation: 'name-match', contactId: ada })).toMatchObject({
    expectedAnnotation: 'name-match',
    expectedContactId: ada,
  })
})

test('every row of the file has an outcome: the answer of the server, or why it was not sent', () => {
  const seen = verdicts(
    rowPreview(0),
    rowPreview(1, { annotation: 'email-match', contactId: ada, matchedContactName: 'Bob B' }),
  )
  const done = new Map(
    outcomesOf(
      rows.slice(0, 1),
      {
        imported: [],
        updated: [],
        skipped: [],
        errors: [{ index: 0, error: 'site: gone', code: 'row-conflict' }],
      },
      sheet,
      mapping,
    ),
  )
  expect([...finalOutcomes(rows, seen, noSelection, done).values()]).toEqual([
    { kind: 'error', reason: 'Site: gone' },
    { kind: 'left-out', reason: 'Bob B already exists and wasn’t selected for updating.' },
    { kind: 'error', reason: 'Column “Mail”: not an email address' },
    { kind: 'untried', reason: '' },
  ])
})

test('the index of a result counts within its batch, not within the file', () => {
  const saved = { index: 0, organizationId: orgId, contactId: ada, name: 'Dora', createdLink: false }
  const result = { imported: [saved], updated: [], skipped: [], errors: [] }
  expect(outcomesOf(rows.slice(3), result, sheet, mapping)).toEqual([[3, { kind: 'imported', reason: '' }]])
})
