// @peculiar/x509 needs this polyfill before it loads.
import 'reflect-metadata'
import { createPrivateKey, KeyObject, randomBytes, type webcrypto, X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { KeyPair } from './key-pair.ts'
import type { HostNames } from './names.ts'

const hour = 3_600_000
const day = 24 * hour
const ecdsa = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }
const authorityYears = 10
// Clients refuse server certificates that are valid for more than 397 days.
const serverDays = 395
// A board without a battery-backed clock wakes up in 1970; its authority must still be good once the time is set.
const earliestCredibleNow = Date.UTC(2026, 0, 1)

/** A new self-signed certificate authority. */
export async function createAuthority(now: number): Promise<KeyPair> {
  const keys = await newKeys()
  const end = new Date(Math.max(now, earliestCredibleNow))
  end.setUTCFullYear(end.getUTCFullYear() + authorityYears)
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    // Chains are built by subject: no two authorities may share one.
    name: `CN=Homeport CA ${randomBytes(4).toString('hex')}`,
    keys,
    // A clock that was a time zone ahead when this ran is soon corrected; the authority cannot be reissued then.
    notBefore: new Date(now - day),
    notAfter: end,
    signingAlgorithm: ecdsa,
    extensions: [
      new x509.BasicConstraintsExtension(true, 0, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign, true),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(keys.publicKey),
    ],
  })
  return keyPair(certificate, keys)
}

/** A new server certificate for `names` (which must be `certifiable`), signed by `authority`. */
export async function createServerCertificate(authority: KeyPair, names: HostNames, now: number): Promise<KeyPair> {
  const keys = await newKeys()
  const issuer = new x509.X509Certificate(authority.certificate.raw)
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=Homeport',
    issuer: issuer.subjectName,
    publicKey: keys.publicKey,
    signingKey: await importSigningKey(authority.key),
    notBefore: new Date(now - hour),
    notAfter: new Date(now + serverDays * day),
    signingAlgorithm: ecdsa,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
      new x509.SubjectAlternativeNameExtension([
        ...names.dns.map((value) => ({ type: x509.DNS, value }) as const),
        ...names.ip.map((value) => ({ type: x509.IP, value }) as const),
      ]),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
    ],
  })
  return keyPair(certificate, keys)
}

/** The names and addresses a server certificate carries. */
export function certifiedNames(certificate: X509Certificate): HostNames {
  const parsed = new x509.X509Certificate(certificate.raw)
  const items = parsed.getExtension(x509.SubjectAlternativeNameExtension)?.names.items ?? []
  const values = (type: x509.GeneralNameType) => items.filter((item) => item.type === type).map((item) => item.value)
  return { dns: values(x509.DNS), ip: values(x509.IP) }
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return crypto.subtle.generateKey(ecdsa, true, ['sign', 'verify'])
}

function importSigningKey(pem: string): Promise<webcrypto.CryptoKey> {
  const der = createPrivateKey(pem).export({ type: 'pkcs8', format: 'der' })
  return crypto.subtle.importKey('pkcs8', der, ecdsa, false, ['sign'])
}

function keyPair(certificate: x509.X509Certificate, keys: webcrypto.CryptoKeyPair): KeyPair {
  const key = KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' })
  return { certificate: new X509Certificate(certificate.toString('pem')), key: key.toString() }
}
