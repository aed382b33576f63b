import fc from 'fast-check'
import { expect, test } from 'vitest'
import { assignmentLevels } from '../../../shared/api/configuration-policies.ts'
import { type Candidate, judged } from './resolution.ts'

const server = { role: 'server', osType: 'linux' } as const

const candidate = (assignmentId: string, more: Partial<Candidate> = {}): Candidate => ({
  assignmentId,
  level: 'organization',
  targetId: 'o',
  priority: 0,
  roleFilter: null,
  osFilter: null,
  assignedAt: '2026-01-01T00:00:00.000Z',
  policy: policy(),
  ...more,
})
const policy = (more: Partial<Candidate['policy']> = {}): Candidate['policy'] => ({
  id: 'p',
  name: 'Policy',
  status: 'active',
  links: [{ id: 'l', featureType: 'backup', featurePolicyId: null, inlineSettings: {} }],
  ...more,
})

const outcomes = (...candidates: Candidate[]) =>
  judged(candidates, server).map(({ candidate: { assignmentId }, outcome }) => [assignmentId, outcome])

test('the closest level wins, whatever the priority and the age', () => {
  const levels = assignmentLevels.map((level, at) => candidate(level, { level, priority: 1000 - at }))
  expect(outcomes(...levels.toReversed())).toEqual([
    ['device', 'won'],
    ['device_group', 'overridden'],
    ['site', 'overridden'],
    ['organization', 'overridden'],
    ['partner', 'overridden'],
  ])
})

test('at the same level the lower number wins, then the older assignment, then the one made first', () => {
  const late = '2026-02-01T00:00:00.000Z'
  expect(outcomes(candidate('high', { priority: 5 }), candidate('low', { priority: 2, assignedAt: late }))).toEqual([
    ['low', 'won'],
    ['high', 'overridden'],
  ])
  expect(outcomes(candidate('b', { assignedAt: late }), candidate('c'), candidate('a'))).toEqual([
    ['a', 'won'],
    ['c', 'overridden'],
    ['b', 'overridden'],
  ])
})

test('what does not apply says why, and leaves the place to the next one', () => {
  const level = 'device'
  expect(
    outcomes(
      candidate('1 inactive', { level, policy: policy({ status: 'inactive' }) }),
      candidate('2 archived', { level, policy: policy({ status: 'archived' }) }),
      candidate('3 role', { level, roleFilter: ['workstation'] }),
      candidate('4 system', { level, osFilter: ['windows', 'macos'] }),
      candidate('5 empty', { level, policy: policy({ links: [] }) }),
      candidate('6 fits', { roleFilter: ['server'], osFilter: ['linux'] }),
    ),
  ).toEqual([
    ['1 inactive', 'policy_inactive'],
    ['2 archived', 'policy_inactive'],
    ['3 role', 'role_mismatch'],
    ['4 system', 'os_mismatch'],
    ['5 empty', 'no_settings'],
    ['6 fits', 'won'],
  ])
})

test('the result does not depend on the order of the candidates, and at most one of them wins', () => {
  const any = fc.record({
    level: fc.constantFrom(...assignmentLevels),
    priority: fc.nat(2),
    assignedAt: fc.constantFrom('2026-01-01T00:00:00.000Z', '2026-02-01T00:00:00.000Z'),
    roleFilter: fc.constantFrom<Candidate['roleFilter'][]>(null, ['server'], ['workstation']),
    status: fc.constantFrom('active' as const, 'inactive' as const),
  })
  fc.assert(
    fc.property(fc.array(any, { maxLength: 8 }), fc.integer(), (drawn, seed) => {
      const candidates = drawn.map(({ status, ...more }, at) =>
        candidate(String(at), { ...more, policy: policy({ status }) }),
      )
      const shuffled = candidates.toSorted((a, b) => hashed(a, seed) - hashed(b, seed))
      const result = judged(candidates, server)
      expect(judged(shuffled, server)).toEqual(result)
      const won = result.filter(({ outcome }) => outcome === 'won')
      const applicable = drawn.some(
        ({ status, roleFilter }) => status === 'active' && roleFilter?.[0] !== 'workstation',
      )
      expect(won.length).toBe(applicable ? 1 : 0)
    }),
  )
})

const hashed = ({ assignmentId }: Candidate, seed: number) => ((Number(assignmentId) + 1) * (seed | 1)) % 7
