import { expect, test } from 'vitest'
import type { BackupProfile } from '../../../../shared/api/backup-profiles.ts'
import { profileSelections } from '../../../../shared/backup-plan.ts'
import {
  newProfile,
  type ProfileDraft,
  profileDraftOf,
  profileErrors,
  protectsWords,
  selectionsOf,
} from './profile-draft.ts'

const profile = (selections: Record<string, unknown>): BackupProfile => ({
  id: '018f2f4e-0000-7000-8000-000000000000',
  orgId: '018f2f4e-0000-7000-8000-000000000001',
  partnerId: null,
  ownerScope: 'organization',
  name: 'Tills',
  description: null,
  selections,
  isActive: true,
  createdAt: '2026-11-24T10:00:00.000Z',
  updatedAt: '2026-11-24T10:00:00.000Z',
})
const draft = (change: Partial<ProfileDraft>): ProfileDraft => ({ ...newProfile, name: 'Tills', ...change })

test('every draft is what the server takes, and is the same when it is read again', () => {
  for (const one of [draft({}), draft({ hasSystem: true }), draft({ paths: '/srv\nC:\\Data', leftOut: '*.tmp' })]) {
    const selections = selectionsOf(one, undefined)
    expect(profileSelections.safeParse(selections).error).toBeUndefined()
    expect(profileDraftOf(profile(selections))).toEqual(one)
  }
})

test('what the form does not show stays, and so do the folders of what was turned off', () => {
  const databases = { enabled: true, backupType: 'log', excludeDatabases: ['tempdb'] }
  const former = profile({ file: { enabled: true, paths: ['/srv'] }, database: databases })
  const changed = selectionsOf({ ...profileDraftOf(former), hasFiles: false, hasSystem: true }, former)
  expect(changed).toMatchObject({ database: databases, file: { enabled: false, paths: ['/srv'] } })
  expect(protectsWords(profile(changed))).toBe('The whole system and databases')
})

test('what is missing or wrong is named', () => {
  expect(profileErrors(draft({}), undefined)).toEqual({})
  expect(profileErrors(draft({ name: ' ' }), undefined)).toEqual({ name: 'Enter a name' })
  expect(profileErrors(draft({ paths: '' }), undefined)).toEqual({ paths: 'Name at least one path' })
  expect(profileErrors(draft({ leftOut: '[' }), undefined)).toHaveProperty('leftOut')
  expect(profileErrors(draft({ hasFiles: false }), undefined)).toEqual({ nothing: 'Choose at least one' })
})
