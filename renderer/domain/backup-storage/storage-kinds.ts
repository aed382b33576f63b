import type { BackupConfig, StorageProviderName } from '../../../shared/api/backup-configs.ts'

/** What people call a provider; `local` is two things, the appliance and a folder on the device itself. */
export const storageKinds = [
  'appliance',
  's3',
  'sftp',
  'rest',
  'azure_blob',
  'google_cloud',
  'backblaze',
  'folder',
] as const
export type StorageKind = (typeof storageKinds)[number]

export const kindNames: Record<StorageKind, string> = {
  appliance: 'This appliance',
  s3: 'Amazon S3 or compatible',
  sftp: 'SFTP server',
  rest: 'restic REST server',
  azure_blob: 'Azure Blob Storage',
  google_cloud: 'Google Cloud Storage',
  backblaze: 'Backblaze B2',
  folder: 'Folder on the device',
}

export const providerOf = (kind: StorageKind): StorageProviderName =>
  kind === 'appliance' || kind === 'folder' ? 'local' : kind

type Stored = Pick<BackupConfig, 'provider' | 'details'>

export function kindOf({ provider, details }: Stored): StorageKind {
  if (provider !== 'local') return provider
  return details.location === 'device' ? 'folder' : 'appliance'
}

/** Where exactly, as far as it is no secret. */
export function placeOf({ provider, details }: Stored): string {
  const text = (key: string) => {
    const value = details[key]
    return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  }
  const below = (...parts: string[]) => parts.filter(Boolean).join('/')
  switch (provider) {
    case 'local':
      return text('path') || 'Backup store of the appliance'
    case 's3':
      return `${below(text('bucket'), text('prefix'))} at ${text('endpoint') || `Amazon, ${text('region')}`}`
    case 'sftp':
      return `${text('username')}@${text('host')}:${text('path')}`
    case 'rest':
      return text('url')
    case 'azure_blob':
      return `${below(text('container'), text('prefix'))} in ${text('accountName')}`
    case 'google_cloud':
    case 'backblaze':
      return below(text('bucket'), text('prefix'))
  }
}
