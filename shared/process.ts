import { z } from 'zod'

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
  /** First run only: the console's address with the one-time setup code. */
  setupLink: z.url({ protocol: /^https?$/ }).optional(),
})
export type Ready = z.infer<typeof readyMessage>

/** The shell asks the server to finish what is under way and exit. It is killed after ten seconds. */
export const stopMessage = z.object({ type: z.literal('stop') })
export type Stop = z.infer<typeof stopMessage>
