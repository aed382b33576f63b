import { expect, test } from 'vitest'
import { enrollmentClosedReason } from './enrollment-closed.ts'

test('only active and trial organizations accept devices, and for others the way out is named', () => {
  const why = (status: Parameters<typeof enrollmentClosedReason>[0]['status']) =>
    enrollmentClosedReason({ name: 'Contoso', status })
  expect([why('active'), why('trial')]).toEqual([null, null])
  expect(why('churned')).toBe('Contoso is closed. Devices can’t join until it is reopened.')
  expect(why('purging')).toBe('Contoso is being deleted. Devices can’t join.')
})
