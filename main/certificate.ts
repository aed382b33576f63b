import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'

/** The one host whose certificate is judged here, and the certificate (PEM) it must be or be signed by. */
export interface Pinned {
  hostname: string
  trustAnchor: string
}

/** Answers to Chromium: fine; refused; judge by your own rules. */
const accept = 0
const refuse = -2
const byDefault = -3

/** Judges the certificate (PEM) that `hostname` showed, in the numbers `setCertificateVerifyProc` asks for. */
export function verifyCertificate(hostname: string, pem: string, pinned: Pinned | undefined, now: Date): number {
  if (!pinned || hostname !== pinned.hostname) return byDefault
  const shown = new X509Certificate(pem)
  const anchor = new X509Certificate(pinned.trustAnchor)
  if (shown.fingerprint256 === anchor.fingerprint256) return accept
  const isTrusted =
    anchor.ca &&
    shown.checkIssued(anchor) &&
    shown.verify(anchor.publicKey) &&
    isFor(shown, hostname) &&
    shown.validFromDate <= now &&
    now <= shown.validToDate
  return isTrusted ? accept : refuse
}

const isFor = (certificate: X509Certificate, hostname: string) =>
  (isIP(hostname) ? certificate.checkIP(hostname) : certificate.checkHost(hostname)) !== undefined
