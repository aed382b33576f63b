import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { equalSecrets, openSecrets, randomHex } from './secrets.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'homeport-secrets-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const ringFile = () => join(dir, 'keyring.json')
const wrappingKey = Buffer.alloc(32, 7).toString('base64')

test('an encrypted value can be decrypted, also after a restart, and differs at each encryption', () => {
  const sealed = openSecrets(dir).encrypt('hush', 'users:1')
  expect(sealed).not.toContain('hush')
  expect(openSecrets(dir).encrypt('hush', 'users:1')).not.toBe(sealed)
  expect(openSecrets(dir).decrypt(sealed, 'users:1')).toBe('hush')
  expect(openSecrets(dir).decrypt(openSecrets(dir).encrypt('', 'x'), 'x')).toBe('')
})

test('a value that was moved to another place cannot be decrypted', () => {
  const secrets = openSecrets(dir)
  const sealed = secrets.encrypt('hush', 'users:1')
  expect(() => secrets.decrypt(sealed, 'users:2')).toThrow('users:2')
})

test('a value of which any byte was changed or cut off cannot be decrypted', () => {
  const secrets = openSecrets(dir)
  const bytes = Buffer.from(secrets.encrypt('hush', 'c').slice(3), 'base64')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at] = (changed[at] ?? 0) ^ 1
    expect(() => secrets.decrypt(`v1:${changed.toString('base64')}`, 'c'), `byte ${at}`).toThrow('cannot be decrypted')
    const cut = bytes.subarray(0, at)
    expect(() => secrets.decrypt(`v1:${cut.toString('base64')}`, 'c'), `cut at ${at}`).toThrow('cannot be decrypted')
  }
  for (const nonsense of ['', 'v1:', 'nonsense', 'v2:AAAA'])
    expect(() => secrets.decrypt(nonsense, 'c')).toThrow('cannot be decrypted')
})

test('the key of another appliance decrypts nothing', () => {
  const sealed = openSecrets(dir).encrypt('hush', 'c')
  rmSync(ringFile())
  expect(() => openSecrets(dir).decrypt(sealed, 'c')).toThrow('cannot be decrypted')
})

test('a key from the environment encrypts new values, and the key ring still decrypts old ones', () => {
  const old = openSecrets(dir).encrypt('old', 'c')
  const withKey = openSecrets(dir, { encryptionKey: 'a key of the operator' })
  expect(withKey.decrypt(old, 'c')).toBe('old')
  const sealed = withKey.encrypt('new', 'c')
  expect(() => openSecrets(dir).decrypt(sealed, 'c')).toThrow('cannot be decrypted')
  expect(openSecrets(dir, { encryptionKey: 'a key of the operator' }).decrypt(sealed, 'c')).toBe('new')
})

test('the first key of the ring encrypts, and the ones behind it still decrypt', () => {
  const old = openSecrets(dir).encrypt('old', 'c')
  const ring = JSON.parse(readFileSync(ringFile(), 'utf8')) as { encryption: string[] }
  ring.encryption.unshift(Buffer.alloc(32, 9).toString('base64'))
  writeFileSync(ringFile(), JSON.stringify(ring))
  const rotated = openSecrets(dir)
  expect(rotated.decrypt(old, 'c')).toBe('old')
  const sealed = rotated.encrypt('new', 'c')
  ring.encryption.pop()
  writeFileSync(ringFile(), JSON.stringify(ring))
  expect(openSecrets(dir).decrypt(sealed, 'c')).toBe('new')
  expect(() => openSecrets(dir).decrypt(old, 'c')).toThrow('cannot be decrypted')
})

test.skipIf(process.platform === 'win32')('only its owner can read the key ring', () => {
  openSecrets(dir)
  expect(statSync(ringFile()).mode & 0o777).toBe(0o600)
  chmodSync(ringFile(), 0o644)
  openSecrets(dir)
  expect(statSync(ringFile()).mode & 0o777).toBe(0o600)
})

test('a wrapped key ring opens with its wrapping key only, and an unwrapped one is wrapped when it is opened', () => {
  const sealed = openSecrets(dir).encrypt('hush', 'c')
  const { jwtKey } = openSecrets(dir, { wrappingKey })
  expect(Object.keys(JSON.parse(readFileSync(ringFile(), 'utf8')) as object)).toEqual(['wrapped'])
  expect(openSecrets(dir, { wrappingKey }).decrypt(sealed, 'c')).toBe('hush')
  expect(openSecrets(dir, { wrappingKey }).jwtKey).toEqual(jwtKey)
  expect(() => openSecrets(dir)).toThrow('desktop')
  expect(() => openSecrets(dir, { wrappingKey: Buffer.alloc(32, 8).toString('base64') })).toThrow('desktop')
  expect(() => openSecrets(dir, { wrappingKey: 'short' })).toThrow('HOMEPORT_KEYRING_KEY')
})

test('a new key ring is wrapped from the start when there is a wrapping key', () => {
  openSecrets(dir, { wrappingKey })
  expect(readFileSync(ringFile(), 'utf8')).toMatch(/^\{"wrapped":"v1:/)
})

test('hashes depend on the pepper, and those of recovery codes on neither case nor space', () => {
  const one = openSecrets(dir)
  expect(one.enrollmentKeyHash('k')).toBe(openSecrets(dir).enrollmentKeyHash('k'))
  expect(one.enrollmentKeyHash('k')).not.toBe(openSecrets(dir, { enrollmentPepper: 'x' }).enrollmentKeyHash('k'))
  expect(one.recoveryCodeHash(' ab-CD ')).toBe(one.recoveryCodeHash('AB-cd'))
  expect(one.recoveryCodeHash('AB-CD')).not.toBe(openSecrets(dir, { recoveryPepper: 'x' }).recoveryCodeHash('AB-CD'))
})

test('equalSecrets is true for equal secrets only, whatever their lengths', () => {
  const secret = randomHex(32)
  expect(secret).toMatch(/^[0-9a-f]{64}$/)
  expect(equalSecrets(secret, secret)).toBe(true)
  for (const other of ['', `${secret}0`, secret.slice(1), secret.toUpperCase(), randomHex(32), 'ä'])
    expect(equalSecrets(secret, other)).toBe(false)
})
