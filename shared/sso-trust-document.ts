import { z } from 'zod'

/**
 * The content of `sso-trust.json`: the private hosts and authorities that the operator lets single sign-on use. The server
 * adds the rules for hosts and addresses. Unknown keys are refused, because a misspelt restriction would restrict nothing.
 */

const owner = z
  .string()
  .toLowerCase()
  .regex(/^(partner|org:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12})$/, 'must be "partner" or "org:" and an id')

const fingerprint = z
  .string()
  .transform((text) => text.replaceAll(':', '').toUpperCase())
  .refine((text) => /^[0-9A-F]{64}$/.test(text), 'must be a SHA-256 fingerprint')

const certificateAuthority = z.strictObject({
  id: z.string().min(1).max(100),
  pemFile: z.string().min(1),
  sha256: fingerprint.optional(),
})

export const listedHost = z.strictObject({
  host: z.string().min(1).max(253),
  port: z.int().min(1).max(65_535).default(443),
  /** Every address of the host lies in one of these; without them it has public addresses only. */
  addresses: z.array(z.string()).min(1).optional(),
  /** Ids of the authorities that vouch for this host, and no public ones do any more. */
  ca: z.array(z.string()).min(1).optional(),
  alsoPublicRoots: z.boolean().default(false),
  /** Whose providers may use the entry; without them everybody's. */
  owners: z.array(owner).min(1).optional(),
})

export const ssoTrustDocument = z.strictObject({
  version: z.literal(1),
  certificateAuthorities: z.array(certificateAuthority).default([]),
  hosts: z.array(listedHost).default([]),
})

export type SsoTrustDocument = z.output<typeof ssoTrustDocument>
export type ListedHost = z.output<typeof listedHost>
export type ListedAuthority = z.output<typeof certificateAuthority>
