import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { createAuthority } from '../../agent/testing/certificates.ts'
import { check } from '../../server/admin/check.ts'
import { Database } from '../../server/db/database.ts'
import { databaseFile } from '../../server/db/location.ts'
import { readSsoTrust } from '../../shared/api/sso-trust.ts'
import { bootstrapped, person } from '../helpers/factories.ts'
import { testApp } from '../helpers/test-app.ts'
import { auditOf } from './kit.ts'

/** What an operator might write, in a folder of its own with the certificate of an authority. */
async function operatorFiles() {
  const dir = mkdtempSync(join(tmpdir(), 'homeport-trust-'))
  onTestFinished(() => rmSync(dir, { recursive: true }))
  const authority = await createAuthority('Corp root')
  writeFileSync(join(dir, 'root.pem'), authority.pem, { mode: 0o600 })
  const document = {
    version: 1,
    certificateAuthorities: [
      { id: 'corp', pemFile: 'root.pem' },
      { id: 'lost', pemFile: 'lost.pem' },
    ],
    hosts: [
      { host: 'idp.corp.lan', addresses: ['10.20.0.15/32'], ca: ['corp'], owners: ['partner'] },
      { host: 'old.corp.lan', port: 8444, ca: ['lost'] },
    ],
  }
  const file = join(dir, 'trust.json')
  writeFileSync(file, JSON.stringify(document), { mode: 0o600 })
  const sha256 = authority.fingerprint.toUpperCase().replace(/..(?!$)/g, '$&:')
  return { file, document, sha256, env: { SSO_TRUST_FILE: file } }
}

test('only an operator of the appliance sees which entries are valid and which are not', async () => {
  const { file, sha256, env } = await operatorFiles()
  await using app = await testApp({ env })
  const admin = await bootstrapped(app)
  const operator = await person(app, { email: 'operator@platform.test', scope: 'system' })
  expect((await app.call(readSsoTrust, {}, { token: operator.token })).body.data).toEqual({
    source: 'file',
    file,
    error: null,
    certificateAuthorities: [
      { id: 'corp', subject: 'CN=Corp root', sha256, expiresAt: expect.any(String), error: null },
      { id: 'lost', subject: null, sha256: null, expiresAt: null, error: 'lost.pem does not exist' },
    ],
    hosts: [
      {
        host: 'idp.corp.lan',
        port: 443,
        addresses: ['10.20.0.15/32'],
        ca: ['corp'],
        alsoPublicRoots: false,
        owners: ['partner'],
        error: null,
      },
      {
        host: 'old.corp.lan',
        port: 8444,
        addresses: [],
        ca: ['lost'],
        alsoPublicRoots: false,
        owners: null,
        error: 'The authority lost cannot be used: lost.pem does not exist',
      },
    ],
  })
  expect((await app.call(readSsoTrust, {}, { token: admin.token })).status).toBe(403)
  expect((await app.call(readSsoTrust)).status).toBe(401)
})

test('every start records the valid trust document and logs problems', async () => {
  const { env, sha256 } = await operatorFiles()
  await using app = await testApp({ env, logs: true })
  const [event] = auditOf(app, 'sso.trust.loaded')
  expect(event).toMatchObject({ result: 'success', org_id: null, partner_id: null })
  expect(JSON.parse(event?.details ?? '')).toEqual({
    source: 'file',
    sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
    hosts: ['idp.corp.lan:443'],
    certificateAuthorities: [
      { id: 'corp', sha256 },
      { id: 'lost', sha256: null },
    ],
  })
  const errors = app.logLines.map((line) => JSON.parse(line)).filter(({ level }) => level === 50)
  expect(errors.map(({ part }) => part)).toEqual(['lost', 'old.corp.lan'])
})

test('the check names each host that may be contacted', async () => {
  const listed = { version: 1, hosts: [{ host: 'idp.corp.lan', port: 9443, addresses: ['10.20.0.15/32'] }] }
  await using app = await testApp({ env: { SSO_TRUST_JSON: JSON.stringify(listed) } })
  new Database({ file: databaseFile(app.dataDir) }).close()
  expect(check(app.config).lines).toContain(
    'ok       single sign-on: idp.corp.lan:9443 is listed, and Homeport may contact it',
  )
})

test('without a document nothing is recorded', async () => {
  await using app = await testApp()
  expect(auditOf(app, 'sso.trust.loaded')).toEqual([])
})

test('a document that others can write is ignored, and the appliance starts', async () => {
  const { env, file } = await operatorFiles()
  chmodSync(file, 0o666)
  await using app = await testApp({ env, logs: true })
  expect(auditOf(app, 'sso.trust.loaded')).toMatchObject([{ result: 'failure' }])
  expect(app.logLines.join()).toContain('can be written by others')
  new Database({ file: databaseFile(app.dataDir) }).close()
  expect(check(app.config).lines.join()).toContain('PROBLEM  single sign-on: trust.json can be written by others')
})

test('a document with an invalid entry, or from two sources, prevents the start', async () => {
  const { env, file, document } = await operatorFiles()
  const wide = JSON.stringify({ ...document, hosts: [{ host: 'idp.corp.lan', addresses: ['10.0.0.0/8'] }] })
  await expect(testApp({ env: { SSO_TRUST_JSON: wide } })).rejects.toThrow(
    'SSO_TRUST_JSON: hosts.0.addresses.0: "10.0.0.0/8" is too wide; /16 is the widest',
  )
  await expect(testApp({ env: { ...env, SSO_TRUST_JSON: '{"version":1}' } })).rejects.toThrow('both set')
  writeFileSync(file, wide)
  await expect(testApp({ env })).rejects.toThrow(file)
})
