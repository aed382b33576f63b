import { expect, test } from 'vitest'
import type { BackupConfig } from '../../../shared/api/backup-configs.ts'
import { detailsOf, draftOf, isStored, missingFields, newDraft } from './storage-draft.ts'

const mark = { redacted: true, hasSecret: true, masked: '********' }
const s3: BackupConfig = {
  id: 'a',
  name: 'Offsite',
  provider: 's3',
  enabled: true,
  isDefault: false,
  encryption: { enabled: true, status: 'enforced', mode: 'client' },
  details: { bucket: 'b', region: 'eu-central-1', prefix: 'office', accessKey: mark, secretKey: mark },
  providerCapabilities: null,
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
}

test('the appliance needs nothing but is named as the place', () => {
  expect(missingFields(newDraft([]), undefined)).toEqual([])
  expect(detailsOf(newDraft([]), undefined)).toEqual({ location: 'appliance' })
  const appliance = { ...s3, provider: 'local' as const, details: { location: 'appliance' } }
  expect([newDraft([]), newDraft([s3]), newDraft([appliance])].map(({ kind }) => kind)).toEqual([
    'appliance',
    'appliance',
    's3',
  ])
})

test('stored secrets are not sent and not missing, unless they are replaced', () => {
  const draft = draftOf(s3)
  expect(isStored(s3, 'secretKey')).toBe(true)
  expect(missingFields(draft, s3)).toEqual([])
  expect(detailsOf(draft, s3)).toEqual({ bucket: 'b', region: 'eu-central-1', prefix: 'office' })
  const replacing = { ...draft, replaced: ['secretKey'] }
  expect(missingFields(replacing, s3).map(({ key }) => key)).toEqual(['secretKey'])
  const typed = { ...replacing, details: { ...draft.details, secretKey: ' new ' } }
  expect(detailsOf(typed, s3)).toMatchObject({ secretKey: 'new' })
  expect(detailsOf(typed, s3)).not.toHaveProperty('accessKey')
})

test('an optional field that was emptied is taken away; one that never was is left out', () => {
  const draft = draftOf(s3)
  const emptied = { ...draft, details: { ...draft.details, prefix: '' } }
  expect(detailsOf(emptied, s3)).toMatchObject({ prefix: null })
  expect(detailsOf(emptied, s3)).not.toHaveProperty('endpoint')
})

test('a new storage asks for all it needs, and a port is a number', () => {
  const draft = { ...newDraft([s3]), kind: 'sftp' as const, details: { host: 'h', port: '2222' } }
  expect(missingFields(draft, undefined).map(({ key }) => key)).toEqual(['username', 'path', 'privateKey', 'hostKey'])
  expect(detailsOf(draft, undefined)).toEqual({ host: 'h', port: 2222 })
})
