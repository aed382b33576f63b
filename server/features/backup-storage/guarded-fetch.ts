import type { Destinations } from '../../platform/outbound/index.ts'
import { textOf } from './providers/fields.ts'
import type { Details } from './secrets-of-details.ts'

/** Requests to a storage: to what `destinations` permit, trusting the authority that its settings name, if they do. */
export async function fetching<T>(
  destinations: Destinations,
  details: Details,
  ask: (fetch: Destinations['fetch']) => Promise<T>,
): Promise<T> {
  const authority = textOf(details, 'caCertificate')
  if (authority === undefined) return ask((url, init) => destinations.fetch(url, init))
  const trusting = destinations.fetchTrusting(authority)
  try {
    return await ask(trusting.fetch)
  } finally {
    await trusting.close()
  }
}
