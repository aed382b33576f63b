import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createAuthority } from '../../agent/testing/certificates.ts'
import { type TrustFileEditor, trustFileEditor } from '../../main/trust-file.ts'
import { examineTrust, loadTrust } from '../../server/features/sso/outbound/index.ts'
import type { ImportedAuthority } from '../../shared/bridge.ts'
import { type SsoTrustDocument, ssoTrustDocument } from '../../shared/sso-trust-document.ts'

/** The shell's editor of sso-trust.json, with the rules of the real server. */

let dataDir: string
let chosen: string | undefined
let isConfirmed: boolean
let trustJson: string | undefined
let asked: string[]
let restarts: number
let editor: TrustFileEditor

const file = () => join(dataDir, 'sso-trust.json')
const sources = () => ({ port: 8443, dataDir, sso: { trustFile: file(), isTrustFileNamed: false, trustJson } })
const modeOf = (path: string) => statSync(path).mode & 0o777

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'homeport-trust-'))
  chosen = undefined
  isConfirmed = true
  trustJson = undefined
  asked = []
  restarts = 0
  editor = trustFileEditor({
    examine: async (draft) => examineTrust(sources(), Date.now(), draft),
    chooseCertificate: async () => chosen,
    confirm: async (_message, detail) => {
      asked.push(detail)
      return isConfirmed
    },
    restartServer: () => restarts++,
  })
})
afterEach(() => rmSync(dataDir, { recursive: true }))

const choose = (name: string, content: string | Buffer) => {
  chosen = join(dataDir, name)
  writeFileSync(chosen, content)
}

async function importChosen(): Promise<ImportedAuthority> {
  const imported = await editor.importAuthority()
  if (!imported || 'problem' in imported) throw new Error(imported?.problem ?? 'dismissed')
  return imported
}

const documentOf = (hosts: object[], certificateAuthorities: object[] = []): SsoTrustDocument =>
  ssoTrustDocument.parse({ version: 1, certificateAuthorities, hosts })

async function save(document: SsoTrustDocument) {
  const { version } = await editor.read()
  return editor.save(document, version)
}

test('a host with an imported authority is saved readable by its owner only, and trusted at the next start', async () => {
  const authority = await createAuthority('Corp Root CA')
  choose('root.crt', authority.pem)
  const imported = await importChosen()
  expect(imported).toMatchObject({
    authority: { id: 'corp-root-ca', pemFile: 'ca/corp-root-ca.pem', sha256: authority.fingerprint.toUpperCase() },
    subject: 'CN=Corp Root CA',
  })
  expect(imported.sha256.replaceAll(':', '').toLowerCase()).toBe(authority.fingerprint)

  const host = { host: 'idp.corp.lan', addresses: ['10.20.0.15/32'], ca: ['corp-root-ca'], owners: ['partner'] }
  expect(await save(documentOf([host], [imported.authority]))).toEqual({ outcome: 'saved' })
  expect([asked.length, restarts]).toEqual([1, 1])
  expect(asked[0]).toContain('idp.corp.lan:443, at 10.20.0.15/32')
  expect([modeOf(file()), modeOf(join(dataDir, 'ca/corp-root-ca.pem')), modeOf(join(dataDir, 'ca'))]).toEqual([
    ...[0o600, 0o600, 0o700],
  ])
  expect(existsSync(`${file()}.tmp`)).toBe(false)
  const trust = loadTrust(sources(), Date.now())
  expect(trust.view.hosts).toEqual([expect.objectContaining({ host: 'idp.corp.lan', error: null })])
  expect(trust.find(new URL('https://idp.corp.lan/x'), { orgId: null, partnerId: 'p' })?.ca).toHaveLength(1)
  expect((await editor.read()).document?.hosts).toEqual([{ port: 443, alsoPublicRoots: false, ...host }])
})

test('a document that the server would not start with is refused with the reason', async () => {
  for (const [host, words] of [
    [{ host: 'idp.corp.lan', addresses: ['10.0.0.0/8'] }, 'too wide'],
    [{ host: 'idp.corp.lan', addresses: ['169.254.169.254/32'] }, 'not of a private network'],
    [{ host: '*.corp.lan' }, 'wildcards'],
    [{ host: 'localhost', port: 8443, addresses: ['127.0.0.1/32'] }, 'the appliance itself listens'],
    [{ host: 'idp.corp.lan', ca: ['nobody'] }, 'no authority "nobody"'],
  ] as const)
    expect(await save(documentOf([host]))).toEqual({ outcome: 'refused', problem: expect.stringContaining(words) })
  expect([existsSync(file()), asked.length, restarts]).toEqual([false, 0, 0])
})

test('a document that cannot be written is refused', async () => {
  mkdirSync(`${file()}.tmp`)
  expect(await save(documentOf([{ host: 'idp.corp.lan' }]))).toMatchObject({ outcome: 'refused' })
  expect([existsSync(file()), restarts]).toEqual([false, 0])
})

test('without the consent of the person at the machine nothing changes', async () => {
  isConfirmed = false
  expect(await save(documentOf([{ host: 'idp.corp.lan' }]))).toEqual({ outcome: 'dismissed' })
  expect([existsSync(file()), restarts]).toEqual([false, 0])
})

test('a document with a certificate file that was not chosen in the dialog is refused', async () => {
  const authority = { id: 'x', pemFile: '/etc/ssl/private/box.pem' }
  expect(await save(documentOf([{ host: 'idp.corp.lan', ca: ['x'] }], [authority]))).toMatchObject({
    outcome: 'refused',
  })
  expect(asked).toEqual([])
})

test('a file that was changed since it was read is not overwritten', async () => {
  const { version } = await editor.read()
  writeFileSync(file(), '{"version":1,"hosts":[{"host":"by-hand.lan"}]}', { mode: 0o600 })
  expect(await editor.save(documentOf([]), version)).toMatchObject({ outcome: 'refused' })
  expect(readFileSync(file(), 'utf8')).toContain('by-hand.lan')
})

test('entries made by hand stay, and an authority that no host uses any more is removed', async () => {
  const authority = await createAuthority('Manual')
  mkdirSync(join(dataDir, 'pki'))
  writeFileSync(join(dataDir, 'pki/root.pem'), authority.pem, { mode: 0o600 })
  const byHand = { id: 'hand', pemFile: 'pki/root.pem' }
  const idle = { id: 'idle', pemFile: 'pki/idle.pem' }
  const hosts = [{ host: 'a.corp.lan', ca: ['hand'] }]
  writeFileSync(file(), JSON.stringify({ version: 1, certificateAuthorities: [byHand, idle], hosts }), { mode: 0o600 })
  const { document } = await editor.read()
  if (!document) throw new Error('no document')
  await save({ ...document, hosts: [...document.hosts, ...documentOf([{ host: 'b.corp.lan' }]).hosts] })
  expect(JSON.parse(readFileSync(file(), 'utf8'))).toMatchObject({
    certificateAuthorities: [byHand],
    hosts: [{ host: 'a.corp.lan' }, { host: 'b.corp.lan' }],
  })
})

test('a document that is invalid or comes from the environment is shown and not changed', async () => {
  writeFileSync(file(), '{"version":1,"host":[]}', { mode: 0o600 })
  expect(await editor.read()).toMatchObject({ document: null, trust: { error: expect.stringContaining('host') } })
  expect(await save(documentOf([]))).toMatchObject({ outcome: 'refused' })
  rmSync(file())
  trustJson = '{"version":1,"hosts":[{"host":"idp.corp.lan"}]}'
  expect(await editor.read()).toMatchObject({ document: null, trust: { source: 'environment', error: null } })
  expect(await save(documentOf([]))).toMatchObject({ outcome: 'refused' })
  expect(await editor.importAuthority()).toHaveProperty('problem')
  expect(existsSync(file())).toBe(false)
})

test('only certificates are copied from a chosen file, in PEM and DER form', async () => {
  const authority = await createAuthority('Two Ways')
  choose('with-key.pem', `-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----\n${authority.pem}`)
  const { authority: first } = await importChosen()
  expect(readFileSync(join(dataDir, first.pemFile), 'utf8')).not.toContain('PRIVATE')
  choose('root.der', Buffer.from(authority.pem.replace(/-----[^-]+-----|\s/g, ''), 'base64'))
  expect((await importChosen()).authority).toEqual(first)

  choose('other.pem', (await createAuthority('Two Ways')).pem)
  expect((await importChosen()).authority).toMatchObject({ id: 'two-ways-2', pemFile: 'ca/two-ways-2.pem' })
})

test('a file that contains no certificate authority is refused with the reason', async () => {
  const { cert } = await (await createAuthority('Issuer')).issue(['idp.corp.lan'])
  for (const [content, words] of [
    ['hello', 'no certificate'],
    ['-----BEGIN CERTIFICATE-----\nhello\n-----END CERTIFICATE-----\n', 'no certificate'],
    [cert, 'server’s certificate'],
    ['x'.repeat(1_000_001), 'too large'],
  ] as const) {
    choose('chosen.pem', content)
    expect(await editor.importAuthority()).toEqual({ problem: expect.stringContaining(words) })
  }
  chosen = undefined
  expect(await editor.importAuthority()).toBeNull()
  expect(existsSync(join(dataDir, 'ca'))).toBe(false)
})
