import { tmpdir } from 'node:os'
import { onTestFinished } from 'vitest'
import { Outbound } from '../../server/features/sso/outbound/outbound.ts'
import { type OutboundCode, OutboundError } from '../../server/features/sso/outbound/outbound-error.ts'
import { loadTrust } from '../../server/features/sso/outbound/trust.ts'
import type { ProviderOwner } from '../../server/features/sso/provider/owner.ts'
import { Names } from '../../server/platform/outbound/index.ts'
import { FakeClock } from './fake-clock.ts'
import type { PrivateHost } from './private-host.ts'

export const partner: ProviderOwner = { orgId: null, partnerId: '019a0000-0000-7000-8000-000000000001' }
export const organization: ProviderOwner = { orgId: '019a0000-0000-7000-8000-0000000000a1', partnerId: null }

export const trustOf = (document: object, clock = new FakeClock()) =>
  loadTrust(
    {
      port: 8443,
      dataDir: tmpdir(),
      sso: { trustFile: '', isTrustFileNamed: false, trustJson: JSON.stringify({ version: 1, ...document }) },
    },
    clock.now(),
  )

/** Names and the addresses they have, in the order in which they are asked for; the last ones stay. */
export type Answers = Record<string, string[][]>

/** As the system would answer for a name. */
export function answerTo(answers: Answers, host: string): string[] {
  const left = answers[host]
  const addresses = left && left.length > 1 ? left.shift() : left?.[0]
  if (!addresses) throw new Error(`getaddrinfo ENOTFOUND ${host}`)
  return addresses
}

/** The way out, with a document of the operator and names made up. */
export function outboundWith({ document = {}, answers = {} }: { document?: object; answers?: Answers }) {
  const clock = new FakeClock()
  const asked: string[] = []
  const resolve = async (host: string) => {
    asked.push(host)
    return answerTo(answers, host)
  }
  const outbound = new Outbound({ trust: trustOf(document, clock), clock, names: new Names(resolve, clock) })
  onTestFinished(() => outbound.close())
  return { outbound, clock, asked }
}

/** The document that lists this server under a name, and the name's address. */
export const listing = (host: PrivateHost, name: string, more: object = {}) => ({
  document: {
    certificateAuthorities: [{ id: 'root', pemFile: host.pemFile }],
    hosts: [{ host: name, port: host.port, addresses: ['127.0.0.1/32'], ca: ['root'], ...more }],
  },
  answers: { [name]: [['127.0.0.1']] } as Answers,
})

const get = { method: 'GET', headers: { accept: 'application/json' }, body: undefined, redirect: 'manual' } as const

export const fetchBy = (outbound: Outbound, url: string, owner: ProviderOwner = partner, init: object = {}) =>
  outbound.fetchFor(owner)(url, { ...get, ...init })

/** The message of the refusal; `null` when there is none. */
export async function refusalOf(attempt: Promise<unknown>): Promise<{ code: OutboundCode; message: string } | null> {
  try {
    await attempt
    return null
  } catch (error) {
    if (!(error instanceof OutboundError)) throw error
    return { code: error.code, message: error.message }
  }
}
