import { z } from 'zod'
import { fieldError } from '../../../platform/errors.ts'
import { joined, pathOf, requiredName, requiredText, textOf, withValues } from './fields.ts'
import type { StorageProvider } from './provider.ts'

/**
 * The key file of a service account, and nothing else that Google's libraries would follow: other kinds of credentials name
 * files and programs of the computer that reads them, and addresses that their content is sent to.
 */
const keyFile = z.object({
  type: z.literal('service_account'),
  project_id: z.string().optional(),
  private_key_id: z.string().optional(),
  private_key: z.string().min(1),
  client_email: z.string().min(1),
  client_id: z.string().optional(),
  token_uri: z
    .enum(['https://oauth2.googleapis.com/token', 'https://accounts.google.com/o/oauth2/token'])
    .default('https://oauth2.googleapis.com/token'),
})

/** Google Cloud Storage, by the key file of a service account. */
export const google: StorageProvider = {
  normalize: (details) =>
    withValues(details, {
      projectId: requiredText(details, 'The project is required', 'projectId'),
      bucket: requiredName(details, 'The bucket is required', 'bucket', /^[a-z0-9._-]+$/),
      prefix: pathOf(details, 'prefix'),
      credentialsJson: serviceAccountIn(
        requiredText(details, 'The key file of a service account is required', 'credentialsJson'),
      ),
    }),
  host: () => 'storage.googleapis.com',
  receiver: () => '',
  target: (details, subPath) => ({
    url: `gs:${textOf(details, 'bucket')}:/${joined(textOf(details, 'prefix') ?? '', subPath)}`,
    env: { GOOGLE_PROJECT_ID: textOf(details, 'projectId') ?? '', GOOGLE_APPLICATION_CREDENTIALS: '{credentialsJson}' },
    options: [],
    files: { credentialsJson: textOf(details, 'credentialsJson') ?? '' },
  }),
}

function serviceAccountIn(text: string): string {
  const file = keyFile.safeParse(parsed(text)).data
  if (!file) throw fieldError('details.credentialsJson', 'Must be the JSON key file of a service account')
  return JSON.stringify(file)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
