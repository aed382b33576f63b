import { expect, test } from 'vitest'
import { changedValues } from './changed-values.ts'

test('unchanged values are not sent', () => {
  const stored = { timezone: 'UTC', contact: { name: 'Ada', phone: '' }, address: { city: 'Ulm' } }
  expect(changedValues(stored, stored)).toEqual({})
  expect(changedValues({ ...stored, contact: { name: 'Ada', phone: '+49' } }, stored)).toEqual({
    contact: { phone: '+49' },
  })
  expect(changedValues({ ...stored, timezone: 'Europe/Berlin', address: { city: '' } }, stored)).toEqual({
    timezone: 'Europe/Berlin',
    address: { city: '' },
  })
})

test('custom business hours are replaced as a whole', () => {
  const day = { start: '09:00', end: '17:00', closed: false }
  const stored = { businessHours: { preset: 'custom', custom: { mon: day, tue: day } } }
  const wanted = { businessHours: { preset: 'custom', custom: { mon: { ...day, end: '18:00' }, tue: day } } }
  expect(changedValues(wanted, stored)).toEqual({ businessHours: { custom: wanted.businessHours.custom } })
})
