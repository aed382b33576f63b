import { joined, pathOf, requiredName, requiredText, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

/** Backblaze B2 by its own protocol. */
export const backblaze: StorageProvider = {
  normalize: (details) =>
    withValues(details, {
      bucket: requiredName(details, 'The bucket is required', 'bucket', /^[a-z0-9-]+$/i),
      prefix: pathOf(details, 'prefix'),
      keyId: requiredText(details, 'The id of the key is required', 'keyId'),
      applicationKey: requiredText(details, 'The application key is required', 'applicationKey'),
    }),
  host: () => 'api.backblazeb2.com',
  receiver: () => '',
  target: (details, subPath) => ({
    url: `b2:${textOf(details, 'bucket')}:${joined(textOf(details, 'prefix') ?? '', subPath)}`,
    env: {
      B2_ACCOUNT_ID: textOf(details, 'keyId') ?? '',
      B2_ACCOUNT_KEY: textOf(details, 'applicationKey') ?? '',
    },
    options: [],
  }),
}
