import { systemActor } from '../../../platform/actor.ts'
import type { Audit } from '../../../platform/audit.ts'
import type { Log } from '../../../platform/log.ts'
import type { Trust } from './trust.ts'

/** Audits which private hosts and authorities single sign-on trusts since this start, and logs those that cannot be used. */
export function reportTrust({ sha256, view }: Trust, audit: Audit, log: Log): void {
  const { source, error, certificateAuthorities, hosts } = view
  if (source === 'none') return
  const parts = [
    { id: source, error },
    ...certificateAuthorities,
    ...hosts.map(({ host, error }) => ({ id: host, error })),
  ]
  for (const part of parts)
    if (part.error !== null)
      log.error({ part: part.id, reason: part.error }, 'Part of the trust of single sign-on does not hold')
  audit(systemActor('start'), {
    action: 'sso.trust.loaded',
    resourceType: 'system',
    details: {
      source,
      sha256,
      hosts: hosts.filter((host) => host.error === null).map(({ host, port }) => `${host}:${port}`),
      certificateAuthorities: certificateAuthorities.map(({ id, sha256 }) => ({ id, sha256 })),
      ...(error !== null && { error }),
    },
    result: error === null ? 'success' : 'failure',
  })
}
