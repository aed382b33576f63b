import { expect, test } from 'vitest'
import { allEndpoints } from '../../../shared/api/index.ts'
import { actionName, actionNames, fieldName, resourceName } from './action-labels.ts'

test('everything that an endpoint writes to the log has plain words', () => {
  const names = allEndpoints.flatMap(({ audit }) => audit ?? [])
  expect(names.length).toBeGreaterThan(50)
  const known = Object.keys(actionNames)
  // Some names are prefixes of the written ones, such as `device.maintenance`.
  expect(names.filter((name) => !known.some((one) => one === name || one.startsWith(`${name}.`)))).toEqual([])
})

test('no two kinds of events read the same', () => {
  expect(new Set(Object.values(actionNames)).size).toBe(Object.keys(actionNames).length)
})

test('what is not known speaks for itself', () => {
  expect(actionName('ticket.merge_undone')).toBe('Ticket merge undone')
  expect(actionName('agent.command.reboot')).toBe('Sent a command: reboot')
  expect(resourceName('device_group')).toBe('Device group')
  expect(fieldName('maxDevices')).toBe('Max devices')
  expect(fieldName('org_ids')).toBe('Org ids')
  expect(fieldName('siteNames')).toBe('Sites')
})
