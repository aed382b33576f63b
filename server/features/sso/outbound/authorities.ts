import 'reflect-metadata'
import { createHash, X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import { PemConverter } from '@peculiar/x509'
import { toError } from '../../../../shared/thrown.ts'
import { readGuardedFile } from './guarded-file.ts'
import type { TrustDocument } from './trust-document.ts'

export interface Authority {
  id: string
  /** The trusted certificates as PEM; empty where there is an error. */
  certificates: string[]
  subject: string | null
  sha256: string | null
  expiresAt: string | null
  error: string | null
}

/**
 * Reads the certificates of an authority; `error` says why one cannot be used.
 * @param folder that `pemFile` is relative to
 */
export function readAuthority(
  { id, pemFile, sha256 }: TrustDocument['certificateAuthorities'][number],
  folder: string,
  now: number,
): Authority {
  const unusable = (error: string) => ({ id, certificates: [], subject: null, sha256: null, expiresAt: null, error })
  let found: X509Certificate[]
  try {
    found = certificatesIn(readGuardedFile(resolve(folder, pemFile)))
  } catch (error) {
    return unusable(toError(error).message)
  }
  // With a fingerprint, only that certificate is trusted, whatever else the file contains.
  const trusted = found.filter((certificate) => sha256 === undefined || fingerprintOf(certificate) === sha256)
  const [first] = trusted.sort((one, other) => one.validToDate.getTime() - other.validToDate.getTime())
  const requirement = found.length > 0 ? 'with the fingerprint given' : 'in PEM form (-----BEGIN CERTIFICATE-----)'
  if (!first) return unusable(`${pemFile} holds no certificate ${requirement}`)
  const known = {
    id,
    subject: first.subject.replaceAll('\n', ', '),
    sha256: first.fingerprint256,
    expiresAt: first.validToDate.toISOString(),
  }
  if (first.validToDate.getTime() <= now)
    return { ...known, certificates: [], error: `${pemFile} expired on ${known.expiresAt.slice(0, 10)}` }
  return { ...known, certificates: trusted.map((certificate) => certificate.toString()), error: null }
}

function certificatesIn(text: string): X509Certificate[] {
  return PemConverter.decodeWithHeaders(text)
    .filter(({ type }) => type === PemConverter.CertificateTag)
    .map(({ rawData }) => new X509Certificate(Buffer.from(rawData)))
}

const fingerprintOf = ({ raw }: X509Certificate) => createHash('sha256').update(raw).digest('hex').toUpperCase()
