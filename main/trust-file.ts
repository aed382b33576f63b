import { createHash, type X509Certificate } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { SsoTrust } from '../shared/api/sso-trust.ts'
import type { ImportedAuthority, TrustChange, TrustFile } from '../shared/bridge.ts'
import { slugFrom } from '../shared/names.ts'
import { writeFileDurably } from '../shared/node/files.ts'
import { type ListedAuthority, type SsoTrustDocument, ssoTrustDocument } from '../shared/sso-trust-document.ts'
import { type Certificates, readAuthorityFile } from './authority-file.ts'

/** `sso-trust.json`, changed from the console in this window and from nowhere else. */
export interface TrustFileEditor {
  read: () => Promise<TrustFile>
  /** Lets the person choose a certificate and keeps a copy of it; null when they cancel. */
  importAuthority: () => Promise<ImportedAuthority | { problem: string } | null>
  /** `version` is of what was read. The server starts anew with what was saved. */
  save: (document: SsoTrustDocument, version: string) => Promise<TrustChange>
}

interface TrustFileServices {
  /** The server's verdict on the file, or on a draft of it. */
  examine: (draft?: string) => Promise<SsoTrust>
  chooseCertificate: () => Promise<string | undefined>
  /** Asks the person at this machine in a dialog that no page can answer. */
  confirm: (message: string, detail: string) => Promise<boolean>
  restartServer: () => void
}

const empty: SsoTrustDocument = { version: 1, certificateAuthorities: [], hosts: [] }

export function trustFileEditor({
  examine,
  chooseCertificate,
  confirm,
  restartServer,
}: TrustFileServices): TrustFileEditor {
  /** A page names files by these only: what a person chose, and what the file names already. */
  const imported = new Set<string>()

  async function read(): Promise<TrustFile> {
    const trust = await examine()
    const text = trust.file === null ? '' : textOf(trust.file)
    const isOurs = trust.file !== null && trust.error === null
    return { trust, document: isOurs ? documentIn(text) : null, version: digest(text) }
  }

  async function importAuthority(): Promise<ImportedAuthority | null> {
    const { trust, document } = await read()
    if (trust.file === null || document === null) throw new Error(notOurs)
    const path = await chooseCertificate()
    if (path === undefined) return null
    const certificates = readAuthorityFile(path, new Date())
    const authority = keepAuthority(certificates, dirname(trust.file), document)
    imported.add(authority.pemFile)
    return described(authority, certificates)
  }

  /** Whether the person consented. */
  async function save(wanted: SsoTrustDocument, version: string): Promise<boolean> {
    const present = await read()
    const { file } = present.trust
    if (file === null || present.document === null) throw new Error(notOurs)
    const known = new Set([...imported, ...present.document.certificateAuthorities.map(({ pemFile }) => pemFile)])
    if (!wanted.certificateAuthorities.every(({ pemFile }) => known.has(pemFile)))
      throw new Error('Choose the authority’s certificate again.')
    const draft = `${JSON.stringify(withoutIdle(wanted), null, 2)}\n`
    const { error } = await examine(draft)
    if (error !== null) throw new Error(error)
    if (!(await confirm('Save these identity providers in your network?', inWords(wanted)))) return false
    if (digest(textOf(file)) !== version)
      throw new Error('The file was changed by someone else in the meantime. Review it and repeat your change.')
    writeFileDurably(file, draft)
    restartServer()
    return true
  }

  // Failures are returned as text: of a thrown error the page would get only Electron's own message.
  return {
    read,
    importAuthority: () => importAuthority().catch((error: Error) => ({ problem: error.message })),
    save: (document, version) =>
      save(document, version).then(
        (isSaved): TrustChange => ({ outcome: isSaved ? 'saved' : 'dismissed' }),
        (error: Error): TrustChange => ({ outcome: 'refused', problem: error.message }),
      ),
  }
}

const notOurs = 'This can’t be changed here.'

const inWords = ({ hosts }: SsoTrustDocument) =>
  [
    ...hosts.map(
      ({ host, port, addresses }) => `${host}:${port}, at ${addresses?.join(', ') ?? 'public addresses only'}`,
    ),
    ...(hosts.length === 0 ? ['None.'] : []),
    '',
    'The server restarts: all connections are interrupted for a moment.',
  ].join('\n')

const textOf = (file: string) => (existsSync(file) ? readFileSync(file, 'utf8') : '')
const digest = (text: string) => createHash('sha256').update(text).digest('hex')

function documentIn(text: string): SsoTrustDocument | null {
  if (text === '') return empty
  try {
    return ssoTrustDocument.parse(JSON.parse(text))
  } catch {
    return null
  }
}

/** An authority that no host uses any more is removed along with it. */
function withoutIdle(document: SsoTrustDocument): SsoTrustDocument {
  const busy = new Set(document.hosts.flatMap(({ ca }) => ca ?? []))
  return { ...document, certificateAuthorities: document.certificateAuthorities.filter(({ id }) => busy.has(id)) }
}

/** Copies the certificates beside the document, under a name that neither it nor another file there has. */
function keepAuthority(certificates: Certificates, folder: string, document: SsoTrustDocument): ListedAuthority {
  const [first, ...more] = certificates
  const text = certificates.map((certificate) => certificate.toString()).join('')
  for (let count = 1; ; count += 1) {
    const id = [nameOf(first), ...(count > 1 ? [count] : [])].join('-')
    const pemFile = `ca/${id}.pem`
    const path = join(folder, pemFile)
    if (document.certificateAuthorities.some((other) => other.id === id && other.pemFile !== pemFile)) continue
    if (existsSync(path) && readFileSync(path, 'utf8') !== text) continue
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileDurably(path, text)
    // With a fingerprint, one certificate of the file counts and no other.
    return { id, pemFile, ...(more.length === 0 && { sha256: first.fingerprint256.replaceAll(':', '') }) }
  }
}

const described = (authority: ListedAuthority, [first]: Certificates): ImportedAuthority => ({
  authority,
  subject: first.subject.replaceAll('\n', ', '),
  sha256: first.fingerprint256,
  expiresAt: first.validToDate.toISOString(),
})

/** Its common name, as the name of a file. */
function nameOf({ subject }: X509Certificate): string {
  const name = /^CN=(.*)$/m.exec(subject)?.[1] ?? ''
  return slugFrom(name, 60) || 'authority'
}
