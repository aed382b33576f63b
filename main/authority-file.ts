import { X509Certificate } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'

export type Certificates = [X509Certificate, ...X509Certificate[]]

const maxBytes = 1_000_000
const pemCertificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * The certificates in a file a person chose, PEM or DER; anything else in it, such as a private key, is not copied.
 * Throws an error for that person where none of them can verify a server.
 */
export function readAuthorityFile(path: string, now: Date): Certificates {
  if (statSync(path).size > maxBytes) throw new Error('This file is too large to be a certificate.')
  const [first, ...more] = certificatesIn(readFileSync(path))
  if (!first) throw new Error('There is no certificate in this file.')
  const certificates: Certificates = [first, ...more]
  if (!certificates.every(mayVouch))
    throw new Error('This is a server’s certificate. Choose the certificate of the authority that signed it.')
  const expired = certificates.find(({ validToDate }) => validToDate <= now)
  if (expired) throw new Error(`This certificate expired on ${expired.validToDate.toISOString().slice(0, 10)}.`)
  return certificates
}

function certificatesIn(content: Buffer): X509Certificate[] {
  const text = content.toString('latin1')
  const parts = text.includes('-----BEGIN') ? (text.match(pemCertificate) ?? []) : [content]
  try {
    return parts.map((part) => new X509Certificate(part))
  } catch {
    return []
  }
}

/** A self-signed certificate of a server does as well, as only that server has its key. */
const mayVouch = (certificate: X509Certificate) => certificate.ca || certificate.checkIssued(certificate)
