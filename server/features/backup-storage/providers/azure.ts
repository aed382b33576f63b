import { fieldError } from '../../../platform/errors.ts'
import { joined, pathOf, requiredName, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

/** Azure Blob Storage. */
export const azure: StorageProvider = {
  normalize(details) {
    const [accountKey, sasToken] = [textOf(details, 'accountKey'), textOf(details, 'sasToken')]
    if (!accountKey && !sasToken) throw fieldError('details.accountKey', 'The account key or a SAS token is required')
    return withValues(details, {
      accountName: requiredName(details, 'The account name is required', 'accountName', /^[a-z0-9]+$/),
      container: requiredName(details, 'The container is required', 'container', /^[a-z0-9$-]+$/),
      prefix: pathOf(details, 'prefix'),
      accountKey,
      // As the portal shows it, it begins with a question mark.
      sasToken: sasToken?.replace(/^\?/, ''),
    })
  },
  host: (details) => `${textOf(details, 'accountName')}.blob.core.windows.net`,
  receiver: (details) => textOf(details, 'accountName') ?? '',
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
