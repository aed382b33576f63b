import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** The one host whose certificate is judged here, and what it must be or be signed by: PEM, one certificate or more. */
export interface Pinned {
  hostname: string
  trustAnchors: string
}

/** Answers to Chromium: fine; refused; judge by your own rules. */
const accept = 0
const refuse = -2
const byDefault = -3

const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/** Judges the certificate (PEM) that `hostname` showed, in the numbers `setCertificateVerifyProc` asks for. */
export function verifyCertificate(hostname: string, pem: string, pinned: Pinned | undefined, now: Date): number {
  if (!pinned || hostname !== pinned.hostname) return byDefault
  const shown = new X509Certificate(pem)
  const anchors = (pinned.trustAnchors.match(pemCertificate) ?? []).map((anchor) => new X509Certificate(anchor))
  if (anchors.some(({ fingerprint256 }) => fingerprint256 === shown.fingerprint256)) return accept
  const isTrusted =
    anchors.some((anchor) => isSignedBy(shown, anchor)) &&
    isFor(shown, hostname) &&
    shown.validFromDate <= now &&
    now <= shown.validToDate
  return isTrusted ? accept : refuse
}

const isSignedBy = (certificate: X509Certificate, anchor: X509Certificate) =>
  anchor.ca && certificate.checkIssued(anchor) && certificate.verify(anchor.publicKey)

const isFor = (certificate: X509Certificate, hostname: string) =>
  (isIP(hostname) ? certificate.checkIP(hostname) : certificate.checkHost(hostname)) !== undefined
