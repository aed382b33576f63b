import type { z } from 'zod'
import { agentFile as agentFileContract, type connectionInfo } from '../../../shared/api/system.ts'
import type { Config } from '../../config/config.ts'
import type { Database } from '../../db/database.ts'
import { q } from '../../db/query.ts'
import type { Reach } from '../../db/reach.ts'
import { withinReach } from '../../db/tenancy.ts'
import { AppError } from '../../platform/errors.ts'
import { apiPrefix } from '../../platform/http/http.ts'
import type { PublicAddress } from '../../platform/public-address.ts'
import { machineNames, type Tls, TlsError } from '../../platform/tls/index.ts'
import type { AgentFile } from './agent-file.ts'

type Description = z.input<typeof connectionInfo.reply>
type Address = Description['addresses'][number]

/** Where this appliance is to be found and what a device needs in order to trust it. */
export class ConnectionInfo {
  readonly #db: Database
  readonly #config: Config
  readonly #publicAddress: PublicAddress
  readonly #tls: Tls | null
  readonly #agentFile: AgentFile
  readonly #version: string
  readonly #port: () => number

  constructor(
    db: Database,
    config: Config,
    publicAddress: PublicAddress,
    tls: Tls | null,
    agentFile: AgentFile,
    version: string,
    port: () => number,
  ) {
    this.#db = db
    this.#config = config
    this.#publicAddress = publicAddress
    this.#tls = tls
    this.#agentFile = agentFile
    this.#version = version
    this.#port = port
  }

  caPem(): string | null {
    return this.#tls?.caPem() ?? null
  }

  /** Stages the next authority; the switch follows by itself once devices had the time to learn it. */
  async rotateCa(): Promise<void> {
    if (!this.#tls || this.#config.tls.mode !== 'auto') throw new AppError('ca_rotation_unavailable')
    try {
      await this.#tls.rotateCa()
    } catch (error) {
      if (error instanceof TlsError && error.code === 'rotation_staged') throw new AppError('ca_rotation_in_progress')
      throw error
    }
  }

  /** To somebody who reaches so far: of a rotation they learn how many of their own devices know it. */
  async describe(reach: Reach): Promise<Description> {
    const file = await this.#agentFile.read()
    const expires = this.#tls?.expires()
    const addresses = this.addresses()
    return {
      addresses,
      publicAddress: { url: addresses[0]?.url ?? '', source: this.#publicAddress.source() },
      tls: this.#config.tls.mode,
      caFingerprint: this.#tls?.caFingerprint() ?? null,
      caExpiresAt: expires?.ca ?? null,
      certificateExpiresAt: expires?.certificate ?? null,
      caRotation: this.#rotation(reach),
      agent: file && { path: `${apiPrefix}${agentFileContract.path}`, sha256: file.sha256, version: this.#version },
    }
  }

  /** Best first: the public address, names, LAN addresses, and this machine itself. */
  addresses(): Address[] {
    const origin = this.#publicAddress.origin()
    const own = this.#ownAddresses()
    if (origin === undefined) return own
    return [{ url: origin, kind: 'configured' }, ...own.filter(({ url }) => url !== origin)]
  }

  #ownAddresses(): Address[] {
    const scheme = this.#config.tls.mode === 'off' ? 'http' : 'https'
    const at = (host: string) =>
      new URL(`${scheme}://${host.includes(':') ? `[${host}]` : host}:${this.#port()}`).origin
    const { host } = this.#config
    const local: Address = { url: at('localhost'), kind: 'localhost' }
    if (host === '127.0.0.1' || host === '::1' || host === 'localhost') return [local]
    if (host !== '0.0.0.0' && host !== '::') return [{ url: at(host), kind: 'lan' }]
    const { dns, ip } = machineNames()
    const names = dns.filter((name) => name !== 'localhost')
    const isReachable = (address: string) =>
      address !== '127.0.0.1' && address !== '::1' && (host === '::' || !address.includes(':'))
    return [
      ...names.map((name): Address => ({ url: at(name), kind: name.endsWith('.local') ? 'mdns' : 'host' })),
      ...ip.filter(isReachable).map((address): Address => ({ url: at(address), kind: 'lan' })),
      local,
    ]
  }

  #rotation(reach: Reach): Description['caRotation'] {
    const rotation = this.#tls?.rotation()
    if (!rotation) return null
    const devices = this.#db.all(
      q
        .selectFrom('devices')
        .select('trust_fingerprints')
        .where('status', '!=', 'decommissioned')
        .where(withinReach(reach, 'devices')),
    )
    const confirmed = devices.filter((device) => device.trust_fingerprints?.includes(rotation.nextFingerprint))
    return { ...rotation, confirmedDevices: confirmed.length, totalDevices: devices.length }
  }
}
