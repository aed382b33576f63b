import { fieldError } from '../../../platform/errors.ts'
import { joined, pathOf, renamed, requiredText, textOf } from './fields.ts'
import type { StorageProvider } from './provider.ts'

/** Azure Blob Storage. */
export const azure: StorageProvider = {
  normalize(details) {
    const [accountKey, sasToken] = [textOf(details, 'accountKey'), textOf(details, 'sasToken')]
    if (!accountKey && !sasToken) throw fieldError('details.accountKey', 'The account key or a SAS token is required')
    return renamed(details, [], {
      accountName: requiredText(details, 'The account name is required', 'accountName'),
      container: requiredText(details, 'The container is required', 'container'),
      prefix: pathOf(details, 'prefix'),
      accountKey,
      sasToken,
    })
  },
  target(details, subPath) {
    const [accountKey, sasToken] = [textOf(details, 'accountKey'), textOf(details, 'sasToken')]
    return {
      url: `azure:${textOf(details, 'container')}:/${joined(textOf(details, 'prefix') ?? '', subPath)}`,
      env: {
        AZURE_ACCOUNT_NAME: textOf(details, 'accountName') ?? '',
        ...(accountKey ? { AZURE_ACCOUNT_KEY: accountKey } : sasToken && { AZURE_ACCOUNT_SAS: sasToken }),
      },
      options: [],
    }
  },
}
