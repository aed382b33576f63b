import { expect, test } from 'vitest'
import type { Challenge } from '../../../lib/session.ts'
import { challengeMethods, hostsReachableFrom, loginUrlAt } from './challenge-methods.ts'

const challenge: Challenge = {
  mfaRequired: true,
  tempToken: 't',
  mfaMethod: 'sms',
  passkeyAvailable: true,
  allowedMethods: { totp: true, sms: true, passkey: true },
  passkeyHosts: [],
  smsUnavailable: false,
  recoveryAvailable: true,
  phoneLast4: '4711',
  user: null,
  tokens: null,
}

test('the method the account prefers comes first, recovery codes last', () => {
  expect(challengeMethods(challenge, true)).toEqual(['sms', 'totp', 'passkey', 'recovery'])
})

test('a passkey is not offered where the browser has none, nor a method the policy forbids', () => {
  const passkeyFirst: Challenge = { ...challenge, mfaMethod: 'passkey' }
  expect(challengeMethods(passkeyFirst, false)).toEqual(['totp', 'sms', 'recovery'])
  const onlyPasskey = { totp: false, sms: false, passkey: true }
  expect(challengeMethods({ ...challenge, allowedMethods: onlyPasskey, recoveryAvailable: false }, true)).toEqual([
    'passkey',
  ])
})

test('the sign-in address at another name of the appliance keeps port and destination', () => {
  const here = new URL('https://192.168.1.9:8443/login?next=%2Fdevices')
  expect(loginUrlAt('box.local', here)).toBe('https://box.local:8443/login?next=%2Fdevices')
  expect(loginUrlAt('box.local', new URL('http://192.168.1.9:8443/login'))).toBe('https://box.local:8443/login')
  expect(loginUrlAt('localhost', new URL('http://127.0.0.1:8080/login'))).toBe('http://localhost:8080/login')
})

test('a passkey of localhost is not offered to a browser on another machine', () => {
  expect(hostsReachableFrom('192.168.1.5', ['localhost', 'box.local'])).toEqual(['box.local'])
  expect(hostsReachableFrom('127.0.0.1', ['localhost', 'box.local'])).toEqual(['localhost', 'box.local'])
})
