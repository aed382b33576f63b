import { expect, test } from 'vitest'
import type { PreviewedRow } from '../../../../shared/api/contact-import.ts'
import { type Mapping, rowsFrom } from './column-mapping.ts'
import { markDuplicates } from './duplicate-rows.ts'
import { type Mode, type RowSelection, verdictsOf } from './row-outcomes.ts'
import { sheetFrom } from './sheet.ts'

/** Cases that the generated test in test/flows/import-preview.test.ts rarely draws. */

const orgId = '019c0000-0000-7000-8000-000000000001'
const ada = '019c0000-0000-7000-8000-00000000000a'
const mapping: Mapping = {
  targets: ['name', 'email', 'externalId'],
  isLastNameFirst: false,
  isOneOrganization: true,
  orgId,
  partnerId: null,
  system: '',
}

function seenOf(lines: string[], rowPreview: Partial<PreviewedRow>[], selection: Partial<RowSelection>, mode: Mode) {
  const sheet = sheetFrom(['Who,Mail,Ref', ...lines].join('\n'), 'list.csv')
  const rows = rowsFrom(sheet, mapping)
  const previewed = new Map(
    rows.map(({ index, row }) => [
      index,
      {
        ...row,
        ...{ index, annotation: 'create', organizationId: orgId, siteId: null, contactId: null },
        ...rowPreview[index],
      } as PreviewedRow,
    ]),
  )
  const all = { leftOut: new Set<number>(), confirmed: new Map(rows.map(({ index }) => [index, ada])), ...selection }
  const seen = markDuplicates(rows, verdictsOf(rows, previewed, sheet, mapping), previewed, {
    ...{ sheet, mapping, mode },
    selection: all,
  })
  return [...seen.values()]
}
type Told = Partial<PreviewedRow>[]
const verdictsFor = (lines: string[], rowPreview: Told, selection: Partial<RowSelection> = {}, mode: Mode = 'skip') =>
  seenOf(lines, rowPreview, selection, mode).map(({ annotation, reason }) => reason ?? annotation)
const notesFor = (lines: string[], rowPreview: Told, selection: Partial<RowSelection> = {}) =>
  seenOf(lines, rowPreview, selection, 'skip').map(({ note }) => note)

test('the first of several equal rows is the new contact, and the next ones where it is left out', () => {
  const lines = ['Kim,kim@x.test,', 'Bo,KIM@x.test,', ' kim ,,']
  expect(verdictsFor(lines, [])).toEqual([
    'create',
    'Column “Mail”: row 2 has the same address',
    'Column “Who”: row 2 has the same name',
  ])
  expect(verdictsFor(lines, [], { leftOut: new Set([0]) })).toEqual(['create', 'create', 'create'])
})

test('rows with ids may share what several contacts share, unless another row changes such a contact', () => {
  const several = { warning: 'email: several contacts have this address' }
  const shared = ['Kim,office@x.test,1', 'Bo,office@x.test,2']
  expect(verdictsFor(shared, [several, several])).toEqual(['create', 'create'])
  const match: Partial<PreviewedRow> = {
    annotation: 'name-match',
    contactId: ada,
    matchedContactName: 'Ada',
    matchedContactEmail: 'office@x.test',
  }
  const changed = verdictsFor(['Ada,ada@x.test,', 'Bo,office@x.test,2'], [match, several])
  expect(changed[1]).toBe('Column “Mail”: row 2 changes the contact that has this address')

  const names = { warning: 'name: several contacts have this name' }
  expect(verdictsFor(['Kim,,1', 'Kim,,2'], [names, names])).toEqual(['create', 'create'])
  const renamed = { ...match, annotation: 'email-match', matchedContactName: 'Kim' } as const
  expect(verdictsFor(['Ada,office@x.test,', 'Kim,,2'], [renamed, names])[1]).toBe(
    'Column “Who”: row 2 changes the contact that has this name',
  )
  expect(verdictsFor(['Ada,ada@x.test,', 'Kim,ada@x.test,2'], [{}, names])[1]).toMatch('same address')
})

test('of several rows that match one contact only the first is written', () => {
  const adaIs = { contactId: ada, matchedContactName: 'Ada', matchedContactEmail: 'ada@x.test' }
  const byEmail = { annotation: 'email-match', ...adaIs } as const
  const byName = { annotation: 'name-match', ...adaIs } as const
  const lines = ['Ada,ada@x.test,', 'Neu,ada@x.test,', 'Ada,,', 'Neu,neu@x.test,']
  const rowPreview = [byEmail, byEmail, byName]
  expect(verdictsFor(lines, rowPreview)).toEqual([
    'email-match',
    'Column “Mail”: row 2 is the same contact',
    'Column “Who”: row 2 is the same contact',
    'Column “Who”: row 3 has the same name',
  ])
  expect(verdictsFor(lines, rowPreview, { confirmed: new Map([[1, ada]]) })[0]).toBe('email-match')
  const linked = { ...byEmail, annotation: 'link-match' } as const
  expect(verdictsFor(['Ada,,1', 'Neu,ada@x.test,', 'Ada,,2'], [linked, byEmail, linked])).toEqual([
    'link-match',
    'Column “Mail”: row 2 is the same contact',
    'link-match',
  ])
})

test('a row with an id of its own is another record of the contact that an earlier row matches', () => {
  const adaIs = { contactId: ada, matchedContactName: 'Ada', matchedContactEmail: 'ada@x.test' }
  const linked = { annotation: 'link-match', ...adaIs } as const
  const byEmail = { annotation: 'email-match', ...adaIs } as const
  const lines = ['Ada,ada@x.test,1', 'A. L.,ada@x.test,2', 'Lovelace,ada@x.test,3']
  const rowPreview = [linked, byEmail, byEmail]
  expect(verdictsFor(lines, rowPreview)).toEqual(['link-match', 'email-match', 'email-match'])
  const note = 'Row 2 is the same contact. This one adds its ID and anything that’s still blank.'
  expect(notesFor(lines, rowPreview)).toEqual([undefined, note, note])
  expect(notesFor(lines, rowPreview, { leftOut: new Set([0]) })[1], 'the first one is left out').toBe(undefined)
  expect(verdictsFor(['Ada,ada@x.test,1', 'Lovelace,,2'], [linked, linked], {}, 'update')).toEqual([
    'link-match',
    'link-match',
  ])
})
