import fc from 'fast-check'
import { expect, test } from 'vitest'
import { guessTargets } from '../../renderer/features/contact-import/guess.ts'
import { type Mapping, rowsFrom } from '../../renderer/features/contact-import/mapping.ts'
import {
  acknowledged,
  finalOutcomes,
  isTicked,
  type Kind,
  type Mode,
  needsConsent,
  outcomesOf,
  verdictsOf,
} from '../../renderer/features/contact-import/outcomes.ts'
import { withRepeats } from '../../renderer/features/contact-import/repeats.ts'
import { sheetFrom } from '../../renderer/features/contact-import/sheet.ts'
import { organizationOf } from '../helpers/factories.ts'
import { contactScene } from './contact-kit.ts'

/** What the console promises of a file, held against what the appliance makes of it. */

/** A few people under a few addresses and ids: rows that meet each other, and contacts, in every way. */
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
const file = fc.record({
  there: fc.array(
    fc.record({ person, organization: fc.constantFrom('First', 'First', 'Second'), id: fc.constantFrom('', '3', '4') }),
    {
      minLength: 1,
      maxLength: 6,
    },
  ),
  rows: fc.array(row, some),
  mode: fc.constantFrom<Mode>('skip', 'update'),
  ticks: fc.constantFrom('all', 'some'),
  piece: fc.integer({ min: 1, max: 10 }),
})

const columns = ['Name', 'Email', 'Phone', 'Company', 'Site', 'Contact ID']
const promised = (kind: Kind, mode: Mode) =>
  kind === 'create' ? 'imported' : kind === 'link-match' && mode === 'skip' ? 'skipped' : 'updated'

test('the preview of any file promises, row by row, what the import then does', async () => {
  await using at = await contactScene()
  const seen = new Map<Kind, number>()
  await fc.assert(
    fc.asyncProperty(file, async ({ there, rows: drawn, mode, ticks: which, piece }) => {
      const organizations = await Promise.all(
        ['First', 'Second'].map(async (name) => {
          return { name, id: (await organizationOf(at.app, at.admin.token, name)).id }
        }),
      )
      const idOf = (name: string) =>
        organizations.find((one) => one.name.toLowerCase() === name.toLowerCase())?.id ?? name
      for (const { person, organization, id } of there)
        if (!Object.values(person).some((cell) => cell.trim())) continue
        else if (!id) await at.create(person, undefined, idOf(organization))
        else await at.commit([{ ...person, externalId: id, organizationId: idOf(organization) }])

      const text = drawn.map(({ person, organization, site, id }) =>
        [person.name, person.email, person.phone, idOf(organization), site, id].join(','),
      )
      const sheet = sheetFrom([columns.join(','), ...text].join('\n'), 'list.csv')
      const targets = guessTargets(columns)
      const mapping: Mapping = { targets, isOneOrganization: false, orgId: null, partnerId: null, system: '' }
      const rows = rowsFrom(sheet, mapping)
      const sendable = rows.filter(({ problem }) => problem === null)
      fc.pre(sendable.length > 0)
      const told = (await at.preview(sendable.map((one) => one.row))).body.rows
      const previewed = new Map(told.map((one) => [sendable[one.index]?.index ?? -1, one]))

      const alone = verdictsOf(rows, previewed, sheet, mapping)
      const isWanted = (index: number) => which === 'all' || drawn[index]?.isTicked === true
      const ticks = {
        leftOut: new Set(rows.flatMap(({ index }) => (isWanted(index) ? [] : [index]))),
        confirmed: new Map(
          [...alone].flatMap(([index, verdict]): [number, string][] =>
            needsConsent(verdict) && isWanted(index) ? [[index, verdict.contactId ?? '']] : [],
          ),
        ),
      }
      const verdicts = withRepeats(rows, alone, previewed, { sheet, mapping, ticks, mode })
      const chosen = rows.filter(({ index }) => {
        const verdict = verdicts.get(index)
        return verdict && isTicked(index, verdict, ticks)
      })
      for (const { annotation } of verdicts.values()) seen.set(annotation, (seen.get(annotation) ?? 0) + 1)

      const done = new Map<number, ReturnType<typeof outcomesOf>[number][1]>()
      for (let rest = chosen; rest.length > 0; rest = rest.slice(piece)) {
        const some = rest.slice(0, piece)
        const body = some.map((one) => acknowledged(one, verdicts.get(one.index) as never))
        const result = (await at.commit(body, { mode })).body
        for (const [index, outcome] of outcomesOf(some, result, sheet, mapping)) done.set(index, outcome)
      }
      const outcomes = finalOutcomes(rows, verdicts, ticks, done)
      const expected = chosen.map(({ index }) => [index, promised(verdicts.get(index)?.annotation as Kind, mode)])
      expect(chosen.map(({ index }) => [index, outcomes.get(index)?.kind])).toEqual(expected)
      expect(done.size).toBe(chosen.length)
    }),
    { numRuns: 250 },
  )
  for (const kind of ['create', 'link-match', 'email-match', 'name-match', 'repeated', 'conflict'] as const)
    expect(seen.get(kind) ?? 0, kind).toBeGreaterThan(5)
}, 60_000)
