import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Keychain, keyringKey } from './key-wrapping.ts'

let folder: string
const file = () => join(folder, 'keyring-key')
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'homeport-key-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

/** Stands in for the operating system's keychain: turns text round behind the name of the user it belongs to. */
function fakeKeychain({
  user = 'ann',
  isAvailable = true,
  backend = 'gnome_libsecret',
  generation = 1,
} = {}): Keychain {
  const turned = (text: string) => [...text].reverse().join('')
  return {
    isAsyncEncryptionAvailable: async () => isAvailable,
    getSelectedStorageBackend: () => backend as 'gnome_libsecret',
    encryptStringAsync: async (text) => Buffer.from(`${user}:${generation}:${turned(text)}`),
    decryptStringAsync: async (encrypted) => {
      const [owner, written, text = ''] = encrypted.toString().split(':')
      if (owner !== user) throw new Error('Error while decrypting the ciphertext')
      return { result: turned(text), shouldReEncrypt: Number(written) < generation }
    },
  }
}

test('the key is made once, has 32 bytes and is never on disk in the clear', async () => {
  const key = (await keyringKey(fakeKeychain(), file(), 'darwin')) ?? ''
  expect(Buffer.from(key, 'base64')).toHaveLength(32)
  expect(await keyringKey(fakeKeychain(), file(), 'darwin')).toBe(key)
  expect(readFileSync(file(), 'utf8')).not.toContain(key)
  if (process.platform !== 'win32') expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test.each([
  ['no keychain', { isAvailable: false }],
  ['a Linux desktop that would encrypt with a well-known password', { backend: 'basic_text' }],
])('%s means no key and no file', async (_name, keychain) => {
  expect(await keyringKey(fakeKeychain(keychain), file(), 'linux')).toBeUndefined()
  expect(existsSync(file())).toBe(false)
})

test('an existing key is never replaced because the keychain is unavailable', async () => {
  const key = await keyringKey(fakeKeychain(), file(), 'linux')
  await expect(keyringKey(fakeKeychain({ isAvailable: false }), file(), 'linux')).rejects.toThrow('Unlock it')
  await expect(keyringKey(fakeKeychain({ backend: 'basic_text' }), file(), 'linux')).rejects.toThrow('Unlock it')
  expect(await keyringKey(fakeKeychain(), file(), 'linux')).toBe(key)
})

test('another user’s key and a damaged one are refused', async () => {
  await keyringKey(fakeKeychain(), file(), 'win32')
  await expect(keyringKey(fakeKeychain({ user: 'eve' }), file(), 'win32')).rejects.toThrow('another user')
  writeFileSync(file(), 'ann:1:abc')
  await expect(keyringKey(fakeKeychain(), file(), 'win32')).rejects.toThrow('damaged')
})

test('the same key is encrypted anew when the keychain has a newer key of its own', async () => {
  const key = await keyringKey(fakeKeychain(), file(), 'darwin')
  expect(await keyringKey(fakeKeychain({ generation: 2 }), file(), 'darwin')).toBe(key)
  expect(readFileSync(file(), 'utf8')).toMatch(/^ann:2:/)
})
