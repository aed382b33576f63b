import { userFolders } from '../../../shared/device/backup-places.ts'
import type { BackupConfigs } from '../backup-storage/index.ts'

/** What the public agent is told about a storage, in its own words; it knows two kinds. */
export interface PublicStorage {
  provider: 's3' | 'local'
  providerConfig: Record<string, unknown>
  storageEncryption: { required: boolean; mode: 'disabled' | 's3-sse-s3' | 's3-sse-kms'; keyReference?: string }
}

type Opened = NonNullable<ReturnType<BackupConfigs['open']>>

/** Null for a storage that it cannot reach. */
export function publicStorage({ row, details }: Opened): PublicStorage | null {
  if (row.provider === 'local' && typeof details.path === 'string')
    return { provider: 'local', providerConfig: { path: details.path }, storageEncryption: unencrypted }
  if (row.provider !== 's3') return null
  const { bucket, region, endpoint, accessKey, secretKey, sessionToken, prefix } = details
  return {
    provider: 's3',
    providerConfig: { bucket, region, endpoint, accessKey, secretKey, sessionToken, prefix },
    storageEncryption: encryptionOf(details, row.encryption === 1),
  }
}

const unencrypted = { required: false, mode: 'disabled' } as const

function encryptionOf(details: Opened['details'], required: boolean): PublicStorage['storageEncryption'] {
  switch (details.serverSideEncryption) {
    case 'AES256':
      return { required, mode: 's3-sse-s3' }
    case 'aws:kms':
      return { required, mode: 's3-sse-kms', keyReference: String(details.kmsKeyId ?? '') }
    default:
      return unencrypted
  }
}

const foldersOfUsers: Record<string, readonly string[]> = { windows: ['C:\\Users'], macos: ['/Users'] }

/** Where people keep their work, as paths: this agent knows no name for them. */
export const publicPaths = (paths: readonly string[], osType: string): string[] =>
  paths.flatMap((path) => (path === userFolders ? (foldersOfUsers[osType] ?? ['/home', '/root']) : [path]))
