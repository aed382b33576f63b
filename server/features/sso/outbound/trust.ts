import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { SsoTrust } from '../../../../shared/api/sso-trust.ts'
import { toError } from '../../../../shared/thrown.ts'
import type { Config } from '../../../config/config.ts'
import type { Range } from '../../../platform/outbound/index.ts'
import type { ProviderOwner } from '../provider/owner.ts'
import { type Authority, readAuthority } from './authorities.ts'
import { readGuardedFile } from './guarded-file.ts'
import { hostnameOf, parseTrustDocument, type TrustDocument } from './trust-document.ts'

/** A host that the operator has listed in the trust document. */
export interface TrustedHost {
  /** As in `URL.hostname`. */
  hostname: string
  port: number
  /** The private ranges its addresses may be in; empty: public addresses only. */
  ranges: Range[]
  /** PEM certificates of its authorities; null: the public ones. */
  ca: string[] | null
  alsoPublicRoots: boolean
  /** Owners whose providers may use it; empty: all. */
  owners: string[]
}

/** The private hosts and authorities that single sign-on may use. Read at the start, from a file that only operators can change. */
export interface Trust {
  /** Changes with any change of the document or its certificates. */
  version: string
  /** Of the text of the document; null without one. */
  sha256: string | null
  view: SsoTrust
  find(url: URL, owner: ProviderOwner): TrustedHost | null
}

export type TrustSettings = Pick<Config, 'port' | 'dataDir'> & {
  sso: Pick<Config['sso'], 'trustFile' | 'isTrustFileNamed' | 'trustJson'>
}

/**
 * Loads the trust document. Parts that cannot be used, such as an expired authority, are left out, and the view says so.
 * @throws Error for an invalid document
 */
export function loadTrust({ port, dataDir, sso }: TrustSettings, now: number): Trust {
  const { trustFile, isTrustFileNamed, trustJson } = sso
  if (trustJson !== undefined) {
    if (isTrustFileNamed) throw new Error('SSO_TRUST_FILE and SSO_TRUST_JSON are both set; give one of them')
    const document = parse('SSO_TRUST_JSON', trustJson, port)
    return describe({ source: 'environment', file: null, document, text: trustJson, folder: dataDir, now })
  }
  const location = { file: trustFile, folder: dirname(trustFile), now }
  if (!isTrustFileNamed && !existsSync(trustFile))
    return describe({ ...location, source: 'none', document: emptyDocument })
  let text: string
  try {
    text = readGuardedFile(trustFile)
  } catch (error) {
    return describe({ ...location, source: 'file', document: emptyDocument, error: toError(error).message })
  }
  return describe({ ...location, source: 'file', text, document: parse(trustFile, text, port) })
}

/**
 * What a start would load now, from the document or from `draft` instead; `error` says why the appliance would not start.
 */
export function examineTrust({ port, dataDir, sso }: TrustSettings, now: number, draft?: string): SsoTrust {
  const file = sso.trustFile
  const location = { source: 'file' as const, file, folder: dirname(file), now }
  try {
    if (draft === undefined) return loadTrust({ port, dataDir, sso }, now).view
    return describe({ ...location, document: parseTrustDocument(draft, port) }).view
  } catch (error) {
    return describe({ ...location, document: emptyDocument, error: toError(error).message }).view
  }
}

const emptyDocument: TrustDocument = { version: 1, certificateAuthorities: [], hosts: [] }

function parse(name: string, text: string, ownPort: number): TrustDocument {
  try {
    return parseTrustDocument(text, ownPort)
  } catch (error) {
    throw new Error(`${name}: ${toError(error).message}`)
  }
}

interface LoadedDocument {
  source: SsoTrust['source']
  file: string | null
  document: TrustDocument
  text?: string | null
  error?: string | null
  folder: string
  now: number
}

function describe({ source, file, document, text = null, error = null, folder, now }: LoadedDocument): Trust {
  const authorities = document.certificateAuthorities.map((authority) => readAuthority(authority, folder, now))
  const hosts = document.hosts.map((host) => ({ host, error: errorOf(host, authorities) }))
  const trusted = new Map(
    hosts
      .filter((listed) => listed.error === null)
      .map(({ host }) => trustedHost(host, authorities))
      .map((host) => [`${host.hostname}:${host.port}`, host]),
  )
  const certificates = authorities.flatMap((authority) => authority.certificates)
  return {
    version: digest(JSON.stringify([text, certificates])),
    sha256: text && digest(text),
    view: {
      source,
      file,
      error,
      certificateAuthorities: authorities.map(({ certificates: _, ...shown }) => shown),
      hosts: hosts.map(({ host: { addresses = [], ca = [], owners = null, ...host }, error }) => ({
        ...host,
        addresses: addresses.map(({ text }) => text),
        ca,
        owners,
        error,
      })),
    },
    find: (url, owner) => {
      const host = trusted.get(`${url.hostname}:${url.port || 443}`)
      return host && mayUse(host, owner) ? host : null
    },
  }
}

const digest = (text: string) => createHash('sha256').update(text).digest('hex')

type ListedHost = TrustDocument['hosts'][number]

/** A host whose authority cannot be used counts as not listed. */
function errorOf({ ca = [] }: ListedHost, authorities: Authority[]): string | null {
  const broken = authorities.find(({ id, error }) => error !== null && ca.includes(id))
  return broken ? `The authority ${broken.id} cannot be used: ${broken.error}` : null
}

const trustedHost = (
  { host, port, addresses = [], ca, alsoPublicRoots, owners = [] }: ListedHost,
  authorities: Authority[],
): TrustedHost => ({
  hostname: hostnameOf(host) ?? host,
  port,
  ranges: addresses.map(({ range }) => range),
  ca: ca ? authorities.filter(({ id }) => ca.includes(id)).flatMap(({ certificates }) => certificates) : null,
  alsoPublicRoots,
  owners,
})

const mayUse = ({ owners }: TrustedHost, owner: ProviderOwner): boolean =>
  owners.length === 0 || owners.includes(owner.orgId === null ? 'partner' : `org:${owner.orgId}`)
