import { z } from 'zod'
import { endpoint, userAccess } from '../endpoint.ts'
import { instant } from '../fields.ts'

/** What the operator lets the appliance reach for single sign-on in the own network. */

/** What the document comes to, entry by entry. */
export const ssoTrust = z.object({
  source: z.enum(['none', 'file', 'environment']),
  /** Where the file is looked for; null when the document comes from the environment. */
  file: z.string().nullable(),
  /** What is wrong with the document as a whole; then nothing of it holds. */
  error: z.string().nullable(),
  certificateAuthorities: z.array(
    z.object({
      id: z.string(),
      /** Whose certificate it is, such as `CN=Corp Root CA, O=Corp`. */
      subject: z.string().nullable(),
      sha256: z.string().nullable(),
      expiresAt: instant.nullable(),
      error: z.string().nullable(),
    }),
  ),
  hosts: z.array(
    z.object({
      host: z.string(),
      port: z.int(),
      addresses: z.array(z.string()),
      ca: z.array(z.string()),
      alsoPublicRoots: z.boolean(),
      /** `partner` or `org:<id>`; null: every provider. */
      owners: z.array(z.string()).nullable(),
      /** Why this entry does not hold; null when it does. */
      error: z.string().nullable(),
    }),
  ),
})
export type SsoTrust = z.infer<typeof ssoTrust>

export const readSsoTrust = endpoint({
  name: 'system.sso-trust',
  method: 'GET',
  path: '/system/sso-trust',
  summary:
    'Identity providers of the own network and private authorities that single sign-on may use; set on the machine only',
  access: userAccess(undefined, { scopes: ['system'] }),
  reply: z.object({ data: ssoTrust }),
})
