import { writeFileDurably } from '../../../shared/node/files.ts'
import { toError } from '../../../shared/thrown.ts'
import { type KeyPair, life, parseSecretJson, storedKeyPair } from './key-pair.ts'
import type { HostNames } from './names.ts'
import { readPrivateFile } from './private-file.ts'
import type { TlsLog } from './tls.ts'

// Addresses come and go (VPN, Wi-Fi, IPv6 privacy); beyond this many a certificate is not worth sending.
const maxNames = 100

export type ReissueReason = 'first' | 'authority-changed' | 'not-yet-valid' | 'due' | 'names-changed'

/** The server certificate kept in `file`; null when there is none or it is damaged, for it can be made anew. */
export async function loadServerCertificate(file: string, log: TlsLog): Promise<KeyPair | null> {
  const text = await readPrivateFile(file)
  if (text === null) return null
  try {
    return storedKeyPair.parse(parseSecretJson(text))
  } catch (error) {
    log.warn({ file, reason: toError(error).message }, 'The server certificate is damaged, a new one is made')
    return null
  }
}

export async function saveServerCertificate(file: string, { certificate, key }: KeyPair): Promise<void> {
  writeFileDurably(file, JSON.stringify({ certificate: certificate.toString(), key }, null, 2))
}

/** Why `server` must be replaced now, or null while it serves well for `names`. */
export function reasonToReissue(
  { certificate }: KeyPair,
  authority: KeyPair,
  names: HostNames,
  now: number,
): ReissueReason | null {
  const issuer = authority.certificate
  if (!certificate.checkIssued(issuer) || !certificate.verify(issuer.publicKey)) return 'authority-changed'
  const { from, until } = life(certificate)
  if (now < from) return 'not-yet-valid'
  if (until - now < (until - from) / 3) return 'due'
  const covered =
    names.dns.every((name) => certificate.checkHost(name)) && names.ip.every((ip) => certificate.checkIP(ip))
  return covered ? null : 'names-changed'
}

/** A new server certificate in place of `former`. */
export async function reissue(
  reason: ReissueReason,
  former: KeyPair | null,
  authority: KeyPair,
  names: HostNames,
  now: number,
): Promise<KeyPair> {
  // Only needed now and then, and slow to load.
  const { certifiedNames, createServerCertificate } = await import('./issue.ts')
  // A laptop that moves between two networks needs both addresses once, not a new certificate each time.
  const wide = former && reason === 'names-changed' ? union(names, certifiedNames(former.certificate)) : names
  const fits = wide.dns.length + wide.ip.length <= maxNames
  return createServerCertificate(authority, fits ? wide : names, now)
}

function union(a: HostNames, b: HostNames): HostNames {
  return { dns: [...new Set([...a.dns, ...b.dns])], ip: [...new Set([...a.ip, ...b.ip])] }
}
