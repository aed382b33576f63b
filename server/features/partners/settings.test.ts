import { expect, test } from 'vitest'
import { mergeSettings } from './settings.ts'

test('groups are merged key by key, whatever they held before', () => {
  expect(mergeSettings({ contact: { name: 'Ada' } }, { contact: { phone: '1' } })).toEqual({
    contact: { name: 'Ada', phone: '1' },
  })
  for (const broken of [null, 'x', ['x'], undefined])
    expect(mergeSettings({ contact: broken }, { contact: { phone: '1' } })).toEqual({ contact: { phone: '1' } })
})

test('a value within a group within a group is merged too, a list never', () => {
  const stored = { security: { allowedMfaMethods: { totp: false, sms: true }, ipAllowlist: ['::1', '10.0.0.1'] } }
  expect(mergeSettings(stored, { security: { allowedMfaMethods: { sms: false }, ipAllowlist: ['10.0.0.2'] } })).toEqual(
    { security: { allowedMfaMethods: { totp: false, sms: false }, ipAllowlist: ['10.0.0.2'] } },
  )
})

test('only groups the server knows are merged; the names count where they stand', () => {
  const stored = { other: { a: 1 }, businessHours: { custom: { mon: 1 }, preset: 'custom' } }
  expect(mergeSettings(stored, { other: { b: 2 }, businessHours: { custom: { tue: 2 } } })).toEqual({
    other: { b: 2 },
    businessHours: { custom: { tue: 2 }, preset: 'custom' },
  })
  expect(mergeSettings({ contact: { security: { a: 1 } } }, { contact: { security: { b: 2 } } })).toEqual({
    contact: { security: { b: 2 } },
  })
})

test('what is stored stays as it was', () => {
  const stored = { contact: { name: 'Ada' } }
  mergeSettings(stored, { contact: { name: 'Bob' }, timezone: 'UTC' })
  expect(stored).toEqual({ contact: { name: 'Ada' } })
})
