import { fieldError } from '../../../platform/errors.ts'
import { joined, pathOf, renamed, requiredText, textOf } from './fields.ts'
import type { StorageProvider } from './provider.ts'

/** Google Cloud Storage, by the key file of a service account. */
export const google: StorageProvider = {
  normalize(details) {
    const credentialsJson = requiredText(details, 'The key file of a service account is required', 'credentialsJson')
    if (!isJson(credentialsJson)) throw fieldError('details.credentialsJson', 'Must be the JSON of a key file')
    return renamed(details, [], {
      projectId: requiredText(details, 'The project is required', 'projectId'),
      bucket: requiredText(details, 'The bucket is required', 'bucket'),
      prefix: pathOf(details, 'prefix'),
      credentialsJson,
    })
  },
  target: (details, subPath) => ({
    url: `gs:${textOf(details, 'bucket')}:/${joined(textOf(details, 'prefix') ?? '', subPath)}`,
    env: { GOOGLE_PROJECT_ID: textOf(details, 'projectId') ?? '', GOOGLE_APPLICATION_CREDENTIALS: '{credentialsJson}' },
    options: [],
    files: { credentialsJson: textOf(details, 'credentialsJson') ?? '' },
  }),
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
