import { createHash, timingSafeEqual, X509Certificate } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import * as tls from 'node:tls'
import { caCertificate } from '../shared/api/system.ts'
import { writeFileDurably } from '../shared/node/files.ts'
import { AgentFailure, exitCode, reasonOf } from './failure.ts'
import { readIfPresent } from './files.ts'
import { apiUrl, exchange, type Trust } from './http.ts'

export interface PinnedTrust extends Trust {
  /** Trusts these from the next connection on, and after a restart. */
  replace(authorities: string[]): void
}

export function loadTrust(stateDir: string): Trust | PinnedTrust {
  const pem = readIfPresent(caPath(stateDir))
  return pem === undefined ? systemTrust() : pinnedTrust(stateDir, parseAuthorities(pem))
}

export const isPinned = (trust: Trust): trust is PinnedTrust => 'replace' in trust

export const saveAuthorities = (stateDir: string, authorities: string[]): void =>
  writeFileDurably(caPath(stateDir), authorities.join('\n'))

const caPath = (stateDir: string) => join(stateDir, 'ca.pem')

function pinnedTrust(stateDir: string, initial: string[]): PinnedTrust {
  let current = initial
  return {
    authorities: () => current,
    fingerprints: () => current.map(fingerprintOf),
    replace(authorities) {
      saveAuthorities(stateDir, authorities)
      current = authorities
    },
  }
}

export const fixedTrust = (authorities: string[]): Trust => ({
  authorities: () => authorities,
  fingerprints: () => authorities.map(fingerprintOf),
})

export function systemTrust(): Trust {
  // Node 22.15 learned to read the system's store; before that only its built-in roots and NODE_EXTRA_CA_CERTS count.
  const authorities = tls.getCACertificates && [
    ...new Set([...tls.getCACertificates('default'), ...tls.getCACertificates('system')]),
  ]
  return { authorities: () => authorities, fingerprints: () => null }
}

export const forgetAuthorities = (stateDir: string): void => rmSync(caPath(stateDir), { force: true })

/**
 * The certificates of a PEM text in Node's own spelling, each checked to be a certificate authority.
 * @throws Error when there is none or one of them is not
 */
export function parseAuthorities(pem: string): string[] {
  const certificates = certificateBlocks(pem).map((block) => new X509Certificate(block))
  if (certificates.length === 0) throw new Error('no certificate found')
  if (certificates.some(({ ca }) => !ca)) throw new Error('a certificate is not a certificate authority')
  return certificates.map(String)
}

const certificateBlocks = (pem: string): string[] =>
  pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? []

const fingerprintOf = (certificate: string): string =>
  createHash('sha256').update(new X509Certificate(certificate).raw).digest('hex')

/** 64 hex digits in any case, with or without colons. */
export function parseFingerprint(text: string): Buffer {
  const digits = text.replace(/[:\s]/g, '')
  if (!/^[0-9a-f]{64}$/i.test(digits)) {
    throw new AgentFailure(
      exitCode.badConfig,
      'The CA fingerprint must be a SHA-256: 64 hex digits, as the console shows it.',
    )
  }
  return Buffer.from(digits, 'hex')
}

/**
 * Fetches the appliance's CA over an unverified connection that carries no secret, and verifies it by the fingerprint.
 * Only the certificate with this fingerprint is kept: a man in the middle could append another one.
 */
export async function fetchPinnedAuthority(serverUrl: string, fingerprint: Buffer): Promise<string> {
  const url = apiUrl(serverUrl, caCertificate.path)
  const reply = await exchange({ url, method: 'GET', trust: 'nobody', timeoutMs: 30_000 }).catch((error) => {
    throw new AgentFailure(
      exitCode.network,
      `Cannot reach ${serverUrl}: ${reasonOf(error)}. Check address, port and firewall.`,
    )
  })
  const first = reply.status === 200 ? certificateBlocks(reply.text)[0] : undefined
  if (first === undefined) {
    throw new AgentFailure(exitCode.unexpected, `${serverUrl} offers no CA certificate; is it a Homeport appliance?`)
  }
  if (!matches(first, fingerprint)) {
    throw new AgentFailure(
      exitCode.refused,
      `The certificate authority of ${serverUrl} does not match the fingerprint; nothing was sent. Compare it with the one the console shows.`,
    )
  }
  return new X509Certificate(first).toString()
}

function matches(certificate: string, fingerprint: Buffer): boolean {
  try {
    return timingSafeEqual(Buffer.from(fingerprintOf(certificate), 'hex'), fingerprint)
  } catch {
    return false // not a certificate at all
  }
}

/**
 * Follows the server to other authorities. The new ones replace the old ones only after a call verified by them alone
 * has succeeded; while the server still has the old certificate, both are trusted.
 * @throws Error when the text is not a list of authorities
 */
export async function adoptAuthorities(trust: PinnedTrust, caPem: string, probe: (trust: Trust) => Promise<unknown>) {
  const offered = parseAuthorities(caPem)
  const isEnough = await probe(fixedTrust(offered)).then(
    () => true,
    () => false,
  )
  trust.replace(isEnough ? offered : [...new Set([...offered, ...(trust.authorities() ?? [])])])
}
