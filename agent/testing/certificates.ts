import 'reflect-metadata'
import { createHash, webcrypto } from 'node:crypto'
import * as x509 from '@peculiar/x509'

const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) }

const newKeys = () => webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])

export interface TestAuthority {
  pem: string
  /** SHA-256 of the certificate, 64 hex digits. */
  fingerprint: string
  /** A server certificate for these names and addresses. */
  issue(names: string[]): Promise<{ cert: string; key: string }>
}

export async function createAuthority(name: string): Promise<TestAuthority> {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    keys,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign, true),
    ],
  })
  return {
    pem: certificate.toString('pem'),
    fingerprint: createHash('sha256').update(Buffer.from(certificate.rawData)).digest('hex'),
    issue: (names) => issue(certificate, keys.privateKey, names),
  }
}

async function issue(authority: x509.X509Certificate, signingKey: webcrypto.CryptoKey, names: string[]) {
  const keys = await newKeys()
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=test server',
    issuer: authority.subject,
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm: algorithm,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension(
        names.map((value) => ({ type: /^[\d.]+$/.test(value) ? 'ip' : 'dns', value }) as const),
      ),
    ],
  })
  const key = x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', keys.privateKey), 'PRIVATE KEY')
  return { cert: certificate.toString('pem'), key }
}
