import { z } from 'zod'
import { ssoTrust } from './api/sso-trust.ts'

/** What the desktop shell and the server it supervises say to each other. */

/** The server serves. Told again when addresses or certificates change; the last one counts. */
export const readyMessage = z.object({
  type: z.literal('ready'),
  /** Where the shell's own window finds the console, such as `https://localhost:8443`. */
  loopbackOrigin: z.url({ protocol: /^https?$/ }),
  /** Where others find it: host name, `.local` name, LAN addresses. Empty when it listens on loopback only. */
  addresses: z.array(z.url({ protocol: /^https?$/ })),
  /**
   * PEM, one certificate or more. On the loopback origin the shell trusts these and what they signed, nothing else:
   * the appliance's authorities, or with HOMEPORT_TLS=files the certificate served. Null with HOMEPORT_TLS=off.
   * Tell a new one before the first connection that is served with it.
   */
  trustAnchors: z.string().nullable(),
  /** Where the system's browser is to find the console: what an identity provider says comes back to there. */
  browserOrigin: z.url({ protocol: /^https?$/ }),
  /** First run only: the console's address with the one-time setup code. */
  setupLink: z.url({ protocol: /^https?$/ }).optional(),
})
export type Ready = z.infer<typeof readyMessage>

/** The shell asks what the server would make of `sso-trust.json` at its next start: as it is, or as drafted. */
export const examineTrustMessage = z.object({
  type: z.literal('examine-trust'),
  id: z.int(),
  draft: z.string().optional(),
})
export type ExamineTrust = z.infer<typeof examineTrustMessage>

export const trustExaminedMessage = z.object({ type: z.literal('trust-examined'), id: z.int(), trust: ssoTrust })
export type TrustExamined = z.infer<typeof trustExaminedMessage>

/** The shell asks the server to finish what is under way and exit. It is killed after ten seconds. */
export const stopMessage = z.object({ type: z.literal('stop') })
export type Stop = z.infer<typeof stopMessage>
