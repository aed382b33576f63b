import { expect, test } from 'vitest'
import { mergeSettings } from './settings.ts'

test('setting groups are merged key by key, and a malformed stored group is replaced', () => {
  expect(mergeSettings({ contact: { name: 'Ada' } }, { contact: { phone: '1' } })).toEqual({
    contact: { name: 'Ada', phone: '1' },
  })
  for (const broken of [null, 'x', ['x'], undefined])
    expect(mergeSettings({ contact: broken }, { contact: { phone: '1' } })).toEqual({ contact: { phone: '1' } })
})

test('a nested setting group is merged too, while a list is replaced', () => {
  const stored = { security: { allowedMfaMethods: { totp: false, sms: true }, ipAllowlist: ['::1', '10.0.0.1'] } }
  expect(mergeSettings(stored, { security: { allowedMfaMethods: { sms: false }, ipAllowlist: ['10.0.0.2'] } })).toEqual(
    { security: { allowedMfaMethods: { totp: false, sms: false }, ipAllowlist: ['10.0.0.2'] } },
  )
})

test('only known setting groups at their known place are merged, other objects are replaced', () => {
  const stored = { other: { a: 1 }, businessHours: { custom: { mon: 1 }, preset: 'custom' } }
  expect(mergeSettings(stored, { other: { b: 2 }, businessHours: { custom: { tue: 2 } } })).toEqual({
    other: { b: 2 },
    businessHours: { custom: { tue: 2 }, preset: 'custom' },
  })
  expect(mergeSettings({ contact: { security: { a: 1 } } }, { contact: { security: { b: 2 } } })).toEqual({
    contact: { security: { b: 2 } },
  })
})

test('merging does not modify the stored settings object', () => {
  const stored = { contact: { name: 'Ada' } }
  mergeSettings(stored, { contact: { name: 'Bob' }, timezone: 'UTC' })
  expect(stored).toEqual({ contact: { name: 'Ada' } })
})
