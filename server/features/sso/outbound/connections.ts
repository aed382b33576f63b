import { isIP, type LookupFunction } from 'node:net'
import { rootCertificates } from 'node:tls'
import { Agent } from 'undici'
import type { EndpointPolicy } from './endpoint-policy.ts'
import type { TrustedHost } from './trust.ts'

/** One agent for everybody and one for each host the operator listed, so that a listed authority vouches for no other. */
export class Connections {
  readonly #policy: EndpointPolicy
  readonly #agents = new Map<TrustedHost | null, Agent>()

  constructor(policy: EndpointPolicy) {
    this.#policy = policy
  }

  agentFor(trusted: TrustedHost | null): Agent {
    const known = this.#agents.get(trusted)
    if (known) return known
    const agent = new Agent({
      // A connection serves one request: what was judged is what is used.
      pipelining: 0,
      allowH2: false,
      connect: {
        lookup: this.#lookup(trusted),
        autoSelectFamily: true,
        minVersion: 'TLSv1.2',
        // The environment could switch it off otherwise.
        rejectUnauthorized: true,
        ...(trusted?.ca && { ca: trusted.alsoPublicRoots ? [...rootCertificates, ...trusted.ca] : trusted.ca }),
      },
    })
    this.#agents.set(trusted, agent)
    return agent
  }

  async close(): Promise<void> {
    await Promise.all([...this.#agents.values()].map((agent) => agent.destroy()))
  }

  /** Judges what the name resolves to at the moment of connecting; the socket gets no other address. */
  #lookup(trusted: TrustedHost | null): LookupFunction {
    return (host, _options, callback) => {
      this.#policy.addressesFor(host, trusted).then(
        (addresses) =>
          callback(
            null,
            addresses.map((address) => ({ address, family: isIP(address) })),
          ),
        (error) => callback(error, []),
      )
    }
  }
}
