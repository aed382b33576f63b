import { expect, test } from 'vitest'
import type { BackupRetention } from '../../../shared/backup-plan.ts'
import { mergedProtection } from './protection.ts'

const merged = (...retentions: (BackupRetention | undefined)[]) =>
  mergedProtection(retentions.map((retention, at) => ({ policyId: `p${at}`, policyName: `Policy ${at}`, retention })))
const immutable = (immutabilityMode: 'application' | 'provider', immutableDays: number) => ({
  immutabilityMode,
  immutableDays,
})

test('a legal hold of any policy counts, with the reason of the closest one', () => {
  const protection = merged(
    { retentionDays: 7 },
    { legalHold: true, legalHoldReason: 'Audit' },
    { legalHold: true, legalHoldReason: 'Other' },
  )
  expect(protection.legalHold).toEqual({ reason: 'Audit', policyIds: ['p1', 'p2'], policyName: 'Policy 1' })
})

test.each([
  ['the longest wins', [immutable('application', 7), immutable('application', 30)], ['application', 30, 'p1']],
  ['longer beats the provider', [immutable('provider', 7), immutable('application', 8)], ['application', 8, 'p1']],
  ['the provider wins a tie', [immutable('application', 7), immutable('provider', 7)], ['provider', 7, 'p1']],
  ['and keeps it', [immutable('provider', 7), immutable('application', 7)], ['provider', 7, 'p0']],
  ['none is none', [{ immutabilityMode: 'none' as const }, immutable('application', 1)], ['application', 1, 'p1']],
])('of immutabilities %s', (_, retentions, [mode, days, policyId]) => {
  expect(merged(...retentions).immutability).toMatchObject({ mode, days, policyId })
})

test('nothing is protected by policies that do not say so', () => {
  expect(merged(undefined, {}, { legalHold: false, immutabilityMode: 'none' })).toEqual({
    legalHold: null,
    immutability: null,
  })
})
