import { expect, test } from 'vitest'
import type { Passkey } from '../../../shared/api/passkeys.ts'
import { addableFactors, passkeysWorkAt, stepUpMethods } from './factor-methods.ts'

const every = { totp: true, sms: true, passkey: true }
const passkeyAt = (rpId: string) => ({ rpId }) as Passkey

test('a new account may add every factor that is allowed and can be delivered', () => {
  const options = { allowedMethods: every, phoneConfigured: true }
  expect(addableFactors(null, options)).toEqual({ app: true, phone: true, passkey: true })
  expect(addableFactors(null, { ...options, phoneConfigured: false }).phone).toBe(false)
  expect(addableFactors(null, { ...options, allowedMethods: { ...every, totp: false } }).app).toBe(false)
})

test('a held factor is not offered again, its alternative is, and passkeys can always be added', () => {
  const options = { allowedMethods: every, phoneConfigured: true }
  expect(addableFactors('totp', options)).toEqual({ app: false, phone: true, passkey: true })
  expect(addableFactors('sms', options)).toEqual({ app: true, phone: false, passkey: true })
  expect(addableFactors('passkey', options)).toEqual({ app: true, phone: true, passkey: true })
})

test('a passkey works at its host name and below it, nowhere else', () => {
  expect(passkeysWorkAt('box.example', passkeyAt('box.example'))).toBe(true)
  expect(passkeysWorkAt('box.example', passkeyAt('example'))).toBe(true)
  expect(passkeysWorkAt('box-example', passkeyAt('example'))).toBe(false)
})

test('a step-up offers a passkey first, and only methods that are held, allowed and usable here', () => {
  const held = { primary: 'totp', passkeys: [passkeyAt('box.local')], allowed: every } as const
  expect(stepUpMethods({ ...held, passkeys: [...held.passkeys] }, 'box.local', true)).toEqual(['passkey', 'totp'])
  expect(stepUpMethods({ ...held, passkeys: [...held.passkeys] }, 'box.local', false)).toEqual(['totp'])
  expect(stepUpMethods({ ...held, passkeys: [...held.passkeys] }, '10.0.0.5', true)).toEqual(['totp'])
  expect(stepUpMethods({ primary: 'passkey', passkeys: [], allowed: every }, 'box.local', true)).toEqual([])
  expect(stepUpMethods({ primary: 'sms', passkeys: [], allowed: { ...every, sms: false } }, 'box.local', true)).toEqual(
    [],
  )
})
