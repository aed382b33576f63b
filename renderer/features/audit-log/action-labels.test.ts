import { expect, test } from 'vitest'
import { allEndpoints } from '../../../shared/api/index.ts'
import { type AuditAction, auditActions } from '../../../shared/audit-actions/index.ts'
import { endpoint } from '../../../shared/endpoint.ts'
import { actionName, fieldName, resourceName } from './action-labels.ts'

test('an action without words does not compile, neither in a contract nor in an event', () => {
  const contract = { ...allEndpoints[0], status: 200 } as Parameters<typeof endpoint>[0]
  // @ts-expect-error `tsc -b` fails when this line compiles: `site.paint` is declared nowhere.
  expect(endpoint({ ...contract, audit: 'site.paint' })).toBeDefined()
  // @ts-expect-error the same
  const action: AuditAction = 'site.paint'
  expect(actionName(action)).toBe('Site paint')
})

test('no two kinds of events read the same', () => {
  expect(new Set(Object.values(auditActions)).size).toBe(Object.keys(auditActions).length)
})

test('what is not known speaks for itself', () => {
  expect(actionName('ticket.merge_undone')).toBe('Ticket merge undone')
  expect(actionName('agent.command.reboot')).toBe('Sent a command: reboot')
  expect(resourceName('device_group')).toBe('Device group')
  expect(fieldName('maxDevices')).toBe('Max devices')
  expect(fieldName('org_ids')).toBe('Org ids')
  expect(fieldName('siteNames')).toBe('Sites')
})
