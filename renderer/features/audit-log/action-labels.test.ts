import { expect, test } from 'vitest'
import { allEndpoints } from '../../../shared/api/index.ts'
import { type AuditAction, auditActions } from '../../../shared/audit-actions/index.ts'
import { endpoint } from '../../../shared/endpoint.ts'
import { actionName, entryName, fieldName, resourceName } from './action-labels.ts'

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
  expect(actionName('agent.command.reboot')).toBe('Sent a command: restart')
  expect(resourceName('device_group')).toBe('Device group')
  expect(fieldName('maxDevices')).toBe('Max devices')
  expect(fieldName('org_ids')).toBe('Org ids')
  expect(fieldName('siteNames')).toBe('Sites')
})

test('an entry is named by its action, what came of it, or the import', () => {
  const folded = { as: 'import' as const, count: 214, since: '2026-02-01T00:00:00Z', organizations: 1 }
  expect(entryName({ action: 'contact.create', folded })).toBe('Imported 214 contacts')
  const change = { action: 'agent.heartbeat.state_change', details: { from: 'online', to: 'offline' } }
  expect(entryName({ ...change, folded: null })).toBe('Device status changed: offline')
  expect(entryName({ ...change, folded: { ...folded, as: 'repetition' } })).toBe('Device status changed')
  const result = { action: 'agent.command.result.submit', details: { exitCode: 3 } }
  expect(entryName({ ...result, folded: null })).toBe('Returned a command result: exit code 3')
})
