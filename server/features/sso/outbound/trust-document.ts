import { isIPv6 } from 'node:net'
import { z } from 'zod'
import { listedHost, ssoTrustDocument } from '../../../../shared/sso-trust-document.ts'
import { toError } from '../../../../shared/thrown.ts'
import type { Range } from '../../../platform/outbound/index.ts'
import { isLoopback, parseListable } from './addresses.ts'

const hostName = z
  .string()
  .max(253)
  .refine(
    (host) => hostnameOf(host) !== null,
    'must be one host in lower case, such as idp.corp.lan, without https:// and wildcards',
  )

const range = z.string().transform((text, context): { text: string; range: Range } => {
  try {
    return { text, range: parseListable(text) }
  } catch (error) {
    context.addIssue(toError(error).message)
    return z.NEVER
  }
})

const document = ssoTrustDocument.extend({
  hosts: z.array(listedHost.extend({ host: hostName, addresses: z.array(range).min(1).optional() })).default([]),
})

export type TrustDocument = z.output<typeof document>

/**
 * @param ownPort on which the appliance itself listens
 * @throws Error that says what is wrong
 */
export function parseTrustDocument(text: string, ownPort: number): TrustDocument {
  const parsed = document.safeParse(parseJson(text))
  if (!parsed.success) {
    const [issue] = parsed.error.issues
    throw new Error([issue?.path.join('.'), issue?.message].filter(Boolean).join(': '))
  }
  const { certificateAuthorities, hosts } = parsed.data
  const ids = certificateAuthorities.map(({ id }) => id)
  assertDistinct(ids)
  assertDistinct(hosts.map(({ host, port }) => `${hostnameOf(host)}:${port}`))
  for (const { host, port, addresses = [], ca = [] } of hosts) {
    const unknown = ca.find((id) => !ids.includes(id))
    if (unknown) throw new Error(`${host}: there is no authority "${unknown}"`)
    if (port === ownPort && addresses.some((listed) => isLoopback(listed.range)))
      throw new Error(`${host}: on port ${port} of this machine the appliance itself listens`)
  }
  return parsed.data
}

/** The host as `URL.hostname` spells it; null unless it is a single host in lower case. */
export function hostnameOf(host: string): string | null {
  const text = isIPv6(host) ? `[${host}]` : host
  if (!URL.canParse(`https://${text}`)) return null
  const { hostname } = new URL(`https://${text}`)
  if (isIPv6(host)) return hostname
  return hostname === text && /^[a-z0-9_-][a-z0-9._-]*$/.test(text) ? hostname : null
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`this is not JSON: ${toError(error).message.replace(/\s+/g, ' ')}`)
  }
}

function assertDistinct(values: string[]): void {
  const twice = values.find((value, at) => values.indexOf(value) !== at)
  if (twice !== undefined) throw new Error(`"${twice}" is listed twice`)
}
