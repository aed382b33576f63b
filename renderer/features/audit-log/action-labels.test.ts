import { expect, test } from 'vitest'
import { allEndpoints } from '../../../shared/api/index.ts'
import { actionWords, fieldWord, resourceWord, wordsOf } from './action-labels.ts'

test('everything that an endpoint writes to the log has plain words', () => {
  const names = allEndpoints.flatMap(({ audit }) => audit ?? [])
  expect(names.length).toBeGreaterThan(50)
  const known = Object.keys(actionWords)
  // Some name the beginning of what they write, such as `device.maintenance`.
  expect(names.filter((name) => !known.some((one) => one === name || one.startsWith(`${name}.`)))).toEqual([])
})

test('no two kinds of events read the same', () => {
  expect(new Set(Object.values(actionWords)).size).toBe(Object.keys(actionWords).length)
})

test('what is not known speaks for itself', () => {
  expect(wordsOf('ticket.merge_undone')).toBe('Ticket merge undone')
  expect(wordsOf('agent.command.reboot')).toBe('Sent a command: reboot')
  expect(resourceWord('device_group')).toBe('Device group')
  expect(fieldWord('maxDevices')).toBe('Max devices')
  expect(fieldWord('org_ids')).toBe('Org ids')
  expect(fieldWord('siteNames')).toBe('Sites')
})
