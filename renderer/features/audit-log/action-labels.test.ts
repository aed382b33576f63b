import { expect, test } from 'vitest'
import { allEndpoints } from '../../../shared/api/index.ts'
import { type AuditAction, auditActions } from '../../../shared/audit-actions/index.ts'
import { endpoint } from '../../../shared/endpoint.ts'
import { actionName, fieldName, resourceName } from './action-labels.ts'

test('an audit action without a label does not compile, neither in a contract nor in an event', () => {
  const contract = { ...allEndpoints[0], status: 200 } as Parameters<typeof endpoint>[0]
  // @ts-expect-error `tsc -b` fails when this line compiles: `site.paint` is declared nowhere.
  expect(endpoint({ ...contract, audit: 'site.paint' })).toBeDefined()
  // @ts-expect-error the same
  const action: AuditAction = 'site.paint'
  expect(actionName(action)).toBe('Site paint')
})

test('no two audit actions have the same label', () => {
  expect(new Set(Object.values(auditActions)).size).toBe(Object.keys(auditActions).length)
})

test('an unknown action, resource or field is labelled by its own name', () => {
  expect(actionName('ticket.merge_undone')).toBe('Ticket merge undone')
  expect(actionName('agent.command.reboot')).toBe('Sent a command: reboot')
  expect(resourceName('device_group')).toBe('Device group')
  expect(fieldName('maxDevices')).toBe('Max devices')
  expect(fieldName('org_ids')).toBe('Org ids')
  expect(fieldName('siteNames')).toBe('Sites')
})
