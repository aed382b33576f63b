import { isIP } from 'node:net'
import { isLoopback } from '../../shared/host-names.ts'
import type { Database } from '../db/database.ts'
import { bareHost } from './outbound/index.ts'
import { StoredSetting } from './stored-setting.ts'
import { certifiable, type HostNames } from './tls/index.ts'

/** The address that links in mail begin with. Without one, the appliance goes by the first of its own addresses. */
export class PublicAddress {
  readonly #stored: StoredSetting<{ origin: string }>
  readonly #fromEnvironment: string | undefined

  constructor(db: Database, fromEnvironment: string | undefined) {
    this.#stored = new StoredSetting(db, 'public_address')
    this.#fromEnvironment = fromEnvironment
  }

  readonly origin = (): string | undefined => this.#fromEnvironment ?? this.stored() ?? undefined

  stored(): string | null {
    return this.#stored.read()?.origin ?? null
  }

  source(): 'environment' | 'stored' | 'automatic' {
    if (this.#fromEnvironment !== undefined) return 'environment'
    return this.stored() === null ? 'automatic' : 'stored'
  }

  /** Joins the transaction under way. */
  store(origin: string | null): void {
    this.#stored.write(origin === null ? null : { origin })
  }
}

/**
 * The origin that a text names, in canonical form. Null for anything more than scheme, host and port, for a host that is
 * neither a DNS name nor an address, and for names that lead every machine to itself.
 */
export function publicOrigin(text: string): string | null {
  if (!/^https?:\/\/[^\s/?#@\\]+\/?$/i.test(text)) return null
  const url = URL.parse(text)
  if (!url || isLoopback(url.hostname)) return null
  const host = bareHost(url.hostname)
  const { dns, ip } = certifiable(isIP(host) ? { dns: [], ip: [host] } : { dns: [host], ip: [] })
  return dns.includes(host) || ip.includes(host) ? url.origin : null
}

/** The names for a certificate, with that of the public address. */
export function namesWith({ dns, ip }: HostNames, origin: string | undefined): HostNames {
  if (origin === undefined) return { dns, ip }
  const host = bareHost(new URL(origin).hostname)
  return isIP(host) ? { dns, ip: [...ip, host] } : { dns: [...dns, host], ip }
}
