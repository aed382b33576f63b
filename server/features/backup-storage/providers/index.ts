import type { StorageProviderName } from '../../../../shared/api/backup-configs.ts'
import type { Details } from '../secrets-of-details.ts'
import { azure } from './azure.ts'
import { backblaze } from './backblaze.ts'
import { google } from './google.ts'
import { local } from './local.ts'
import type { StorageProvider } from './provider.ts'
import { rest } from './rest.ts'
import { s3 } from './s3.ts'
import { sftp } from './sftp.ts'

export type { ResticTarget } from './provider.ts'

export const providers: Record<StorageProviderName, StorageProvider> = {
  local,
  s3,
  sftp,
  rest,
  azure_blob: azure,
  google_cloud: google,
  backblaze,
}

/** The details as a client gives them, with each key under the name that it has here. */
export function underOwnNames(provider: StorageProviderName, details: Details): Details {
  const { aliases = {} } = providers[provider]
  const isOther = (key: string) => aliases[key] !== undefined && details[aliases[key]] === undefined
  return Object.fromEntries(
    Object.entries(details).flatMap(([key, value]) => {
      if (aliases[key] === undefined) return [[key, value]]
      return isOther(key) ? [[aliases[key], value]] : []
    }),
  )
}
