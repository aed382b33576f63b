import { rootCertificates } from 'node:tls'
import type { Agent } from 'undici'
import { pinnedAgent } from '../../../platform/outbound/index.ts'
import type { EndpointPolicy } from './endpoint-policy.ts'
import type { TrustedHost } from './trust.ts'

/** One undici agent for public hosts, and one for each listed host, so that its authorities are trusted for that host only. */
export class Connections {
  readonly #policy: EndpointPolicy
  readonly #agents = new Map<TrustedHost | null, Agent>()

  constructor(policy: EndpointPolicy) {
    this.#policy = policy
  }

  agentFor(trusted: TrustedHost | null): Agent {
    const known = this.#agents.get(trusted)
    if (known) return known
    const agent = pinnedAgent(
      (host) => this.#policy.addressesFor(host, trusted),
      trusted?.ca ? { ca: trusted.alsoPublicRoots ? [...rootCertificates, ...trusted.ca] : trusted.ca } : {},
    )
    this.#agents.set(trusted, agent)
    return agent
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()))
  }
}
