import type { ResticEnd } from '../../../shared/node/restic-refusals.ts'
import { runRestic } from '../../../shared/node/restic-run.ts'
import { type Destinations, openGateway } from '../../platform/outbound/index.ts'

const restScheme = 'rest:'

/**
 * As `runRestic`, for storage whose address a person entered: restic connects to what `destinations` permit, and to nothing
 * else. Left alone it would resolve the name of the storage anew, and follow redirects of a REST server. The ssh it starts
 * is told an address that was checked.
 */
export async function runGuarded(
  destinations: Destinations,
  ...[runner, repository, args, signal, listeners]: Parameters<typeof runRestic>
): Promise<ResticEnd> {
  const { caCertificate, ...files } = repository.files ?? {}
  const isRest = repository.url.startsWith(restScheme)
  const fixed = isRest ? { url: new URL(repository.url.slice(restScheme.length)), authority: caCertificate } : undefined
  const gateway = await openGateway(destinations, fixed)
  const { href, host } = gateway.url
  const proxied = { HTTP_PROXY: href, HTTPS_PROXY: href, NO_PROXY: '' }
  const guarded = isRest
    ? { ...repository, url: restScheme + href, files }
    : { ...repository, env: { ...repository.env, ...proxied } }
  try {
    const end = await runRestic(runner, guarded, args, signal, listeners)
    // Of the gateway nobody knows.
    return fixed ? { ...end, stderr: end.stderr.replaceAll(host, fixed.url.host) } : end
  } finally {
    gateway.close()
  }
}
