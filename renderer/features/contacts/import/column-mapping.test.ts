import { expect, test } from 'vitest'
import { columnReason, firstBatch, type Mapping, mappingProblem, rowsFrom } from './column-mapping.ts'
import type { Target } from './import-fields.ts'
import { sheetFrom } from './sheet.ts'

const orgId = '019c0000-0000-7000-8000-000000000001'
const mappingOf = (targets: (Target | null)[], change: Partial<Mapping> = {}): Mapping => ({
  targets,
  isLastNameFirst: false,
  isOneOrganization: true,
  orgId,
  partnerId: null,
  system: '',
  ...change,
})
const rowOf = (text: string, mapping: Mapping) => rowsFrom(sheetFrom(text, 'list.csv'), mapping)[0]

test('first and last name are joined, without the missing one', () => {
  const mapping = mappingOf(['firstName', 'lastName'])
  expect(rowOf('a,b\n Ada , Lovelace ', mapping)?.row.name).toBe('Ada Lovelace')
  expect(rowOf('a,b\n,Lovelace', mapping)?.row.name).toBe('Lovelace')
})

test('roles are split at commas and semicolons, spellings are recognized, and unknown roles stay as they are', () => {
  const row = rowOf('n,r\nAda,"Billing; After hours, on_site,boss,billing"', mappingOf(['name', 'roles']))?.row
  expect(row?.roles).toEqual(['billing', 'after_hours', 'site', 'boss'])
})

test('the organization is one for all rows, or the name or id in its column', () => {
  const byColumn = mappingOf(['name', 'organization'], { isOneOrganization: false })
  expect(rowOf('n,o\nAda,Acme', mappingOf(['name', 'organization']))?.row).toMatchObject({ organizationId: orgId })
  expect(rowOf('n,o\nAda,Acme', byColumn)?.row).toMatchObject({ organization: 'Acme' })
  expect(rowOf(`n,o\nAda,${orgId}`, byColumn)?.row).toMatchObject({ organizationId: orgId })
})

test('an external id is sent with its system, by default csv', () => {
  const row = (system: string) => rowOf('n,i\nAda,7', mappingOf(['name', 'externalId'], { system }))?.row
  expect(row(' halo ')).toMatchObject({ externalId: '7', externalSystem: 'halo' })
  expect(row('')).toMatchObject({ externalSystem: 'csv' })
  expect(rowOf('n,i\nAda,', mappingOf(['name', 'externalId']))?.row).not.toHaveProperty('externalSystem')
})

test('a value that would make the whole request fail is a problem of its row that names the column', () => {
  const mapping = mappingOf(['name', 'email', 'roles'])
  expect(rowOf('n,Mail\nAda,nobody', mapping)?.problem).toBe('email: not an email address')
  expect(rowOf(`Who,m\n${'x'.repeat(256)},`, mapping)?.problem).toBe('name: longer than 255 characters')
  const roles = Array.from({ length: 17 }, (_, role) => `r${role}`).join(';')
  expect(rowOf(`n,m,Job\nAda,,${roles}`, mapping)?.problem).toBe('roles: more than 16 roles')
  const byColumn = mappingOf(['name', 'organization'], { isOneOrganization: false })
  expect(rowOf('n,o,x\n,,y', byColumn)?.problem).toBe('The chosen columns are empty.')
  expect(rowOf('n,Mail\nAda,a@x.test', mapping)?.problem).toBeNull()
})

test('a chosen organization applies to every row with its name, a chosen site only within its organization', () => {
  const site = '019c0000-0000-7000-8000-00000000000c'
  const mapping = mappingOf(['name', 'organization', 'site'], { isOneOrganization: false })
  const sheet = sheetFrom('n,o,s\nA,Acme,Main\nB,Other,Main\nC, Acme ,Main\nD,Acme,\nE,,x', 'list.csv')
  const before = rowsFrom(sheet, mapping)
  const keys = before.map(({ names }) => names.organization?.key ?? '')
  expect(keys.map((key) => keys.indexOf(key))).toEqual([0, 1, 0, 0, 4])
  const organizations = new Map([[keys[0] ?? '', orgId]])
  const named = rowsFrom(sheet, mapping, organizations)
  expect(named.map(({ row }) => row.organizationId ?? row.organization)).toEqual([
    orgId,
    'Other',
    orgId,
    orgId,
    undefined,
  ])
  const resolved = (id: string | null) => new Map([...organizations, [named[0]?.names.site?.key ?? '', id]])
  const sited = rowsFrom(sheet, mapping, resolved(site)).map(({ row }) => [row.siteId, row.site])
  expect(sited).toEqual([
    [site, undefined],
    [undefined, 'Main'],
    [site, undefined],
    [undefined, undefined],
    [undefined, 'x'],
  ])
  const without = rowsFrom(sheet, mapping, resolved(null))[0]
  expect([without?.row.siteId, without?.row.site, without?.names.site?.text]).toEqual([null, undefined, 'Main'])
})

test('errors of the server name the column of the file', () => {
  const sheet = sheetFrom('First,Firm,Mail\nAda,x,y', 'list.csv')
  const mapping = mappingOf(['firstName', 'organization', 'email'], { isOneOrganization: false })
  const previewed = (reason: string) => columnReason(reason, sheet, mapping)
  expect(previewed('email: several contacts have this address')).toBe(
    'Column “Mail”: several contacts have this address',
  )
  expect(previewed('name: a name is missing')).toBe('Column “First”: a name is missing')
  expect(previewed('organizationId: not found')).toBe('Column “Firm”: not found')
  expect(previewed('site: several have this name; use siteId')).toBe('Site: several have this name')
  expect(previewed('siteId: gone')).toBe('Site: gone')
  expect(previewed('organization: several have this name; use organizationId')).toBe(
    'Column “Firm”: several have this name',
  )
  expect(previewed('The row could not be saved')).toBe('The row could not be saved')
})

test('a mapping needs an organization, and a name, an e-mail address or a phone number', () => {
  expect(mappingProblem(mappingOf(['name']))).toBeNull()
  expect(mappingProblem(mappingOf(['title']))).toMatch('name, the email address or a phone number')
  expect(mappingProblem(mappingOf(['name'], { orgId: null }))).toBe('Choose the organization.')
  expect(mappingProblem(mappingOf(['name'], { isOneOrganization: false }))).toMatch('column with the organization')
})

test('a batch is at most a thousand rows, or as much text as one request takes', () => {
  const many = (count: number, cell: string) =>
    rowsFrom(sheetFrom(`n\n${`${cell}\n`.repeat(count)}`, ''), mappingOf(['name']))
  expect(firstBatch(many(2500, 'Ada'))).toHaveLength(1000)
  expect(firstBatch(many(3, 'Ada'))).toHaveLength(3)
  const wide = many(900, 'x'.repeat(2000))
  expect(firstBatch(wide).length).toBeLessThan(600)
  expect(firstBatch(many(1, 'x'.repeat(1_100_000)))).toHaveLength(1)
})
