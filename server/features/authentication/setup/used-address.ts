import type { FastifyRequest } from 'fastify'
import { publicOrigin } from '../../../platform/public-address.ts'

/**
 * The origin under which the caller reached the appliance; null where other machines could not. The headers are the
 * caller's word: ask only for callers who have proved that the appliance is theirs.
 */
export function usedAddress({ headers, origin }: Pick<FastifyRequest, 'headers' | 'origin'>): string | null {
  const used = publicOrigin(`${origin.isSecure ? 'https' : 'http'}://${headers.host}`)
  // The browser knows about a proxy that ends the encryption; this end does not.
  const page = publicOrigin(headers.origin ?? '')
  return page && used && new URL(page).host === new URL(used).host ? page : used
}
