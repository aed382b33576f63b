import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Mapping, type PreparedRow, rowsFrom } from '../../renderer/features/contacts/import/column-mapping.ts'
import { markDuplicates } from '../../renderer/features/contacts/import/duplicate-rows.ts'
import { guessTargets } from '../../renderer/features/contacts/import/guess-columns.ts'
import {
  finalOutcomes,
  isSelected,
  type Kind,
  type Mode,
  needsConsent,
  outcomesOf,
  verdictsOf,
  withAcknowledgement,
} from '../../renderer/features/contacts/import/row-outcomes.ts'
import { type Sheet, sheetFrom } from '../../renderer/features/contacts/import/sheet.ts'
import { q } from '../../server/db/query.ts'
import type { ImportResult } from '../../shared/api/contact-import.ts'
import { organizationOf } from '../helpers/factories.ts'
import { times } from '../helpers/thorough.ts'
import { contactScene } from './contact-kit.ts'

/** The preview of the console, compared with the result of the import. */

/** A few people with a few addresses and ids, so that rows match each other and contacts in every way. */
const person = fc.record({
  name: fc.constantFrom('', 'Kim', ' kim ', 'Bo', 'Li'),
  email: fc.constantFrom('', 'kim@x.test', 'KIM@x.test', 'bo@x.test', 'li@x.test'),
  phone: fc.constantFrom('', '1'),
})
const row = fc.record({
  person,
  organization: fc.constantFrom('First', 'First', 'First', 'FIRST', 'second', 'Nowhere'),
  site: fc.constantFrom('', '', '', '', 'Moon'),
  id: fc.constantFrom('', '', '1', '2', '3', '4'),
  isTicked: fc.boolean(),
})
const some = { minLength: 1, maxLength: 10 }
const anyMode = fc.constantFrom<Mode>('skip', 'update')
const file = fc.record({
  there: fc.array(
    fc.record({ person, organization: fc.constantFrom('First', 'First', 'Second'), id: fc.constantFrom('', '3', '4') }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
  rows: fc.array(row, some),
  mode: anyMode,
  selection: fc.constantFrom('all', 'some'),
  piece: fc.integer({ min: 1, max: 10 }),
})

const columns = ['Name', 'Email', 'Phone', 'Company', 'Site', 'Contact ID']
const promised = (kind: Kind, mode: Mode) =>
  kind === 'create' ? 'imported' : kind === 'link-match' && mode === 'skip' ? 'skipped' : 'updated'

const mapping: Mapping = {
  targets: guessTargets(columns),
  isLastNameFirst: false,
  isOneOrganization: false,
  orgId: null,
  partnerId: null,
  system: '',
}

type Scene = Awaited<ReturnType<typeof contactScene>>
type Drawn = Omit<typeof row extends fc.Arbitrary<infer Row> ? Row : never, 'isTicked'>

/** Two organizations; returns the id of the one that a cell of the file names. */
async function twoOrganizations(at: Scene) {
  const organizations = await Promise.all(
    ['First', 'Second'].map(async (name) => ({ name, id: (await organizationOf(at.app, at.admin.token, name)).id })),
  )
  return (name: string) => organizations.find((one) => one.name.toLowerCase() === name.toLowerCase())?.id ?? name
}

function sheetOf(drawn: readonly Drawn[], idOf: (name: string) => string) {
  const lines = drawn.map(({ person, organization, site, id }) =>
    [person.name, person.email, person.phone, idOf(organization), site, id].join(','),
  )
  return sheetFrom([columns.join(','), ...lines].join('\n'), 'list.csv')
}

/** The file as the console sends it for these selected rows, updating what they match. */
async function lookedAt(at: Scene, sheet: Sheet, mode: Mode, isWanted: (index: number) => boolean) {
  const rows = rowsFrom(sheet, mapping)
  const sendable = rows.filter(({ problem }) => problem === null)
  const told = sendable.length > 0 ? (await at.preview(sendable.map((one) => one.row))).body.rows : []
  const previewed = new Map(told.map((one) => [sendable[one.index]?.index ?? -1, one]))
  const alone = verdictsOf(rows, previewed, sheet, mapping)
  const selection = {
    leftOut: new Set(rows.flatMap(({ index }) => (isWanted(index) ? [] : [index]))),
    confirmed: new Map(
      [...alone].flatMap(([index, verdict]): [number, string][] =>
        needsConsent(verdict) && isWanted(index) ? [[index, verdict.contactId ?? '']] : [],
      ),
    ),
  }
  const verdicts = markDuplicates(rows, alone, previewed, { sheet, mapping, selection, mode })
  const chosen = rows.filter(({ index }) => {
    const verdict = verdicts.get(index)
    return verdict && isSelected(index, verdict, selection)
  })
  return { rows, verdicts, selection, chosen }
}

/** Imports the selected rows in chunks. */
async function imported(at: Scene, { verdicts, chosen }: Awaited<ReturnType<typeof lookedAt>>, mode: Mode, piece = 10) {
  const results: [PreparedRow[], ImportResult][] = []
  for (let rest = chosen; rest.length > 0; rest = rest.slice(piece)) {
    const some = rest.slice(0, piece)
    const body = some.map((one) => withAcknowledgement(one, verdicts.get(one.index) as never))
    results.push([some, (await at.commit(body, { mode })).body])
  }
  return results
}

test('the preview of any file predicts for each row what the import does', async () => {
  await using at = await contactScene()
  const seen = new Map<Kind, number>()
  await fc.assert(
    fc.asyncProperty(file, async ({ there, rows: drawn, mode, selection: which, piece }) => {
      const idOf = await twoOrganizations(at)
      for (const { person, organization, id } of there)
        if (!Object.values(person).some((cell) => cell.trim())) continue
        else if (!id) await at.create(person, undefined, idOf(organization))
        else await at.commit([{ ...person, externalId: id, organizationId: idOf(organization) }])

      const sheet = sheetOf(drawn, idOf)
      const looked = await lookedAt(at, sheet, mode, (index) => which === 'all' || drawn[index]?.isTicked === true)
      const { rows, verdicts, selection, chosen } = looked
      for (const { annotation } of verdicts.values()) seen.set(annotation, (seen.get(annotation) ?? 0) + 1)

      const results = await imported(at, looked, mode, piece)
      const done = new Map(results.flatMap(([some, result]) => outcomesOf(some, result, sheet, mapping)))
      const outcomes = finalOutcomes(rows, verdicts, selection, done)
      const expected = chosen.map(({ index }) => [index, promised(verdicts.get(index)?.annotation as Kind, mode)])
      expect(chosen.map(({ index }) => [index, outcomes.get(index)?.kind])).toEqual(expected)
      expect(done.size).toBe(chosen.length)
      const first = new Set<string>()
      for (const [some, { imported, updated }] of results)
        for (const { index, contactId } of [...imported, ...updated].sort((a, b) => a.index - b.index)) {
          if (first.has(contactId)) expect(some[index]?.row.externalId, 'another row for a contact').toBeTruthy()
          first.add(contactId)
        }
    }),
    { numRuns: times(250, 100) },
  )
  for (const kind of ['create', 'link-match', 'email-match', 'name-match', 'repeated', 'conflict'] as const)
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(times(5, 0))
})

test('importing the same file repeatedly with all updates removes nothing and reaches a stable state', async () => {
  await using at = await contactScene()
  // A telephone number alone identifies no contact.
  const contacts = () =>
    new Map(
      at.app.db
        .all(q.selectFrom('contacts').selectAll())
        .filter(({ name, email }) => name ?? email)
        .map((one) => [one.id, one]),
    )
  const again = { rows: fc.array(row, { minLength: 2, maxLength: 10 }), mode: anyMode }
  let updated = 0
  await fc.assert(
    fc.asyncProperty(fc.record(again), async ({ rows: drawn, mode }) => {
      const sheet = sheetOf(drawn, await twoOrganizations(at))
      const run = async () => imported(at, await lookedAt(at, sheet, mode, () => true), mode)
      await run()
      for (let before = contacts(), rest = drawn.length; ; rest--) {
        at.app.clock.advance(1000)
        for (const [, result] of await run()) updated += result.updated.length
        const after = contacts()
        for (const [id, contact] of before) expect(after.get(id)).toMatchObject(givenIn(contact))
        if (isDeepStrictEqual(after, before)) break
        // Each run settles at least one more row as another record of a person in the file.
        expect(rest).toBeGreaterThan(0)
        before = after
      }
    }),
    { numRuns: times(100, 25) },
  )
  expect(updated).toBeGreaterThan(times(100, 25))
})

const givenIn = ({ updated_at: _, ...contact }: Record<string, unknown>) =>
  Object.fromEntries(Object.entries(contact).filter(([, value]) => value !== null && value !== '[]'))
