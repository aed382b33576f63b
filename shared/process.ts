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
   * PEM. On the loopback origin the shell trusts this certificate and what it signed, and nothing else: the
   * appliance's CA, or the server's own certificate with HOMEPORT_TLS=files. Null with HOMEPORT_TLS=off.
   * Tell a new one before the first connection that is served with it.
   */
  trustAnchor: z.string().nullable(),
  /** First run only: the console's address with the one-time setup code. */
  setupLink: z.url({ protocol: /^https?$/ }).optional(),
})
export type Ready = z.infer<typeof readyMessage>

/** The shell asks the server to finish what is under way and exit. It is killed after ten seconds. */
export const stopMessage = z.object({ type: z.literal('stop') })
export type Stop = z.infer<typeof stopMessage>
