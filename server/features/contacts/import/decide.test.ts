import { expect, test } from 'vitest'
import type { Annotation, ImportRow } from '../../../../shared/api/contact-import.ts'
import { nameKey } from '../../../../shared/names.ts'
import type { ContactRow } from '../views.ts'
import { type Decision, decide, type Organization, type Snapshot } from './decide.ts'
import { outcomeOf } from './outcome.ts'
import { parseRow } from './parsed-row.ts'

/** The public API fixes the order of the decisions, so every combination of conditions is tested. */

const acme: Organization = { id: 'acme', name: 'Acme', frozen: null }
const contact = (id: string) => ({ id }) as ContactRow

/** Every combination of one value for each key. */
const combinations = <T extends Record<string, readonly unknown[]>>(values: T): { [K in keyof T]: T[K][number] }[] =>
  Object.entries(values).reduce<object[]>(
    (found, [key, choices]) => found.flatMap((one) => choices.map((choice) => ({ ...one, [key]: choice }))),
    [{}],
  ) as never

const cases = combinations({
  organization: ['unnamed', 'missing', 'two', 'frozen', 'one'],
  identifier: ['none', 'name', 'email', 'both'],
  role: ['known', 'unknown', 'empty'],
  site: ['unnamed', 'missing', 'two', 'one'],
  link: ['none', 'repeated', 'linked', 'new'],
  emails: [0, 1, 2],
  names: [0, 1, 2],
} as const)
type Case = (typeof cases)[number]

const rowOf = (at: Case): ImportRow => ({
  ...(at.organization !== 'unnamed' && { organization: ' ACME ' }),
  ...(at.identifier !== 'none' && at.identifier !== 'email' && { name: 'Kim  Doe' }),
  ...((at.identifier === 'email' || at.identifier === 'both') && { email: ' Kim@X.test' }),
  title: 'Boss',
  ...(at.role !== 'empty' && { roles: [at.role === 'known' ? 'billing' : 'boss'] }),
  ...(at.site !== 'unnamed' && { site: 'HQ' }),
  ...(at.link !== 'none' && { externalId: '7' }),
})

const some = (count: number, kind: string) => Array.from({ length: count }, (_, n) => contact(`${kind} ${n}`))
const snapshotOf = (at: Case): Snapshot => ({
  organizations: () =>
    ({ unnamed: [], missing: [], two: [acme, acme], frozen: [{ ...acme, frozen: 'no' }], one: [acme] })[
      at.organization
    ],
  sites: () => ({ unnamed: [], missing: [], two: [{ id: 's' }, { id: 't' }], one: [{ id: 's' }] })[at.site],
  isRepeated: () => at.link === 'repeated',
  linked: () => (at.link === 'linked' ? contact('linked') : undefined),
  withEmail: (_, email) => some(email === 'kim@x.test' ? at.emails : 0, 'email'),
  withName: (_, name) => some(nameKey(name) === 'kim doe' ? at.names : 0, 'name'),
})

/** The expected decision, from a separate table of steps: the first that applies decides. */
function expected(at: Case): [Annotation, column?: string] {
  const email = at.identifier === 'email' || at.identifier === 'both' ? at.emails : 0
  const name = (at.identifier === 'name' || at.identifier === 'both') && email === 0 ? at.names : 0
  const steps: [applies: boolean, annotation: Annotation, column?: string][] = [
    [at.organization === 'unnamed', 'conflict', 'organization'],
    [at.organization === 'missing', 'org-not-found', 'organization'],
    [at.organization === 'two' || at.organization === 'frozen', 'conflict', 'organization'],
    [at.identifier === 'none', 'conflict', 'name'],
    [at.role === 'unknown', 'conflict', 'roles'],
    [at.site === 'missing' || at.site === 'two', 'conflict', 'site'],
    [at.link === 'repeated', 'conflict', 'externalId'],
    [at.link === 'linked', 'link-match'],
    [email === 1, 'email-match'],
    [email === 2 && at.link === 'none', 'conflict', 'email'],
    [name === 1, 'name-match'],
    [name === 2 && at.link === 'none', 'conflict', 'name'],
  ]
  const [, annotation, column] = steps.find(([applies]) => applies) ?? [true, 'create']
  return [annotation as Annotation, column]
}

test('every combination of conditions is decided by the first step that applies', () => {
  expect(cases).toHaveLength(5 * 4 * 3 * 4 * 4 * 3 * 3)
  for (const at of cases) {
    const decision = decide(parseRow(rowOf(at)), snapshotOf(at))
    const [annotation, column] = expected(at)
    expect(decision.annotation, JSON.stringify(at)).toBe(annotation)
    if (column) expect('reason' in decision && decision.reason.split(':')[0], JSON.stringify(at)).toBe(column)
    else expect(decision, JSON.stringify(at)).toMatchObject({ siteId: at.site === 'one' ? 's' : null })
  }
})

test('a row with an external id whose email or name matches several contacts creates one, with a warning', () => {
  const at = { organization: 'one', role: 'empty', site: 'unnamed', link: 'new', emails: 2, names: 2 } as const
  for (const identifier of ['email', 'name'] as const)
    expect(decide(parseRow(rowOf({ ...at, identifier })), snapshotOf({ ...at, identifier }))).toMatchObject({
      annotation: 'create',
      warning: expect.stringContaining(`${identifier}: several`),
    })
})

test('organizationId wins over organization, and cells are trimmed and their line breaks become spaces', () => {
  const wanted = parseRow({ organizationId: 'A-B', organization: 'x', name: ' Kim\r\nDoe ', phone: ' ', roles: [' '] })
  expect(wanted).toMatchObject({
    organizationId: 'a-b',
    name: 'Kim Doe',
    phone: null,
    roles: [],
    externalSystem: 'csv',
  })
})

// --- outcome of a decided row -----------------------------------------------------------------------------------

const place = { organization: acme, siteId: null }
const matching = (annotation: 'link-match' | 'email-match' | 'name-match'): Decision => ({
  annotation,
  contact: contact('c'),
  ...place,
})
const decisions: Decision[] = [
  { annotation: 'conflict', reason: 'x' },
  { annotation: 'org-not-found', reason: 'x' },
  { annotation: 'create', ...place },
  matching('link-match'),
  matching('email-match'),
  matching('name-match'),
]
const nobody = { name: null, email: null, externalId: null }
const acknowledgements = combinations({
  decision: decisions,
  expectedAnnotation: [undefined, 'create', 'link-match', 'email-match', 'name-match'],
  expectedContactId: [undefined, 'c', 'd'],
  mode: ['skip', 'update'],
} as const)

test.each(acknowledgements)('$decision.annotation, expected $expectedAnnotation of $expectedContactId, $mode', (at) => {
  const { decision, expectedAnnotation, expectedContactId, mode } = at
  const { annotation } = decision
  const isMatch = annotation === 'email-match' || annotation === 'name-match'
  const isThere = 'contact' in decision && expectedContactId === 'c'
  const rows: [applies: boolean, outcome: string][] = [
    [annotation === 'conflict', 'row-conflict'],
    [annotation === 'org-not-found', 'org-not-found'],
    [expectedAnnotation !== undefined && expectedAnnotation !== annotation, 'annotation-changed'],
    [expectedContactId !== undefined && !isThere, 'match-changed'],
    [isMatch && expectedAnnotation === undefined, 'match-unconfirmed'],
    [annotation === 'create', 'create'],
    [annotation === 'link-match' && mode === 'skip', 'skip'],
    [true, 'merge'],
  ]
  const row = { expectedAnnotation, expectedContactId }
  const outcome = outcomeOf(decision, { row, wanted: nobody }, mode, () => false)
  expect(outcome.do === 'refuse' ? outcome.code : outcome.do).toBe(rows.find(([applies]) => applies)?.[1])
})

test.each([
  [{ name: 'Kim', email: 'kim@x.test' }, { name: ' KIM', email: 'kim@x.test' }, 'merge'],
  [{ name: 'Kim', email: null }, { name: null, email: 'kim@x.test' }, 'merge'],
  [{ name: 'Kim', email: 'kim@x.test' }, { name: 'Bo', email: 'kim@x.test' }, 'row-conflict'],
  [{ name: 'Kim', email: 'kim@x.test' }, { name: 'Kim', email: 'bo@x.test' }, 'row-conflict'],
])(
  'after an earlier row matched the contact %o, a row with %o ends in %s, or in join with an external id',
  (known, cells, expected) => {
    for (const annotation of ['link-match', 'email-match', 'name-match'] as const) {
      const decision: Decision = { annotation, contact: { id: 'c', ...known } as ContactRow, ...place }
      const row = { expectedAnnotation: annotation, expectedContactId: 'c' }
      const outcome = (isTaken: boolean, externalId: string | null = null) =>
        outcomeOf(decision, { row, wanted: { ...cells, externalId } }, 'update', () => isTaken)
      expect(outcome(true)).toMatchObject(expected === 'merge' ? { do: 'merge' } : { do: 'refuse', code: expected })
      expect(outcome(true, '7').do).toBe('join')
      expect([outcome(false).do, outcome(false, '7').do]).toEqual(['merge', 'merge'])
    }
  },
)

test.each(['email-match', 'name-match'] as const)('an unconfirmed %s of a taken contact is refused', (annotation) => {
  const decision: Decision = { annotation, contact: { id: 'c', name: 'Kim', email: null } as ContactRow, ...place }
  const wanted = { ...nobody, externalId: '7' }
  expect(outcomeOf(decision, { row: {}, wanted }, 'update', () => true)).toMatchObject({ code: 'match-unconfirmed' })
})
