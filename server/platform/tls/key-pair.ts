import { createPrivateKey, X509Certificate } from 'node:crypto'
import { z } from 'zod'

/** A certificate and the private key (PKCS #8 PEM) that belongs to it. */
export interface KeyPair {
  certificate: X509Certificate
  key: string
}

export const storedCertificate = z.codec(z.string(), z.instanceof(X509Certificate), {
  decode: (pem) => new X509Certificate(pem),
  encode: (certificate) => certificate.toString(),
})

export const storedKeyPair = z
  .object({ certificate: storedCertificate, key: z.string() })
  .refine(({ certificate, key }) => certificate.checkPrivateKey(createPrivateKey(key)), {
    error: 'the private key does not belong to the certificate',
  })

/** SHA-256 of the certificate's DER, 64 lower-case hex digits. */
export function fingerprint(certificate: X509Certificate): string {
  return certificate.fingerprint256.replaceAll(':', '').toLowerCase()
}

/** Start and end of a certificate's life, ms since epoch. */
export function life(certificate: X509Certificate): { from: number; until: number } {
  return { from: certificate.validFromDate.getTime(), until: certificate.validToDate.getTime() }
}

/** Like JSON.parse, but the error quotes nothing: what is parsed holds private keys. */
export function parseSecretJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it is not JSON')
  }
}
