import { expect, test } from 'vitest'
import { allPermissions } from '../../../shared/permissions.ts'
import { permissionName, summarizePermissions } from './permission-labels.ts'

test('a permission is named by its resource and action, and several are listed by resource', () => {
  expect(permissionName('devices:execute')).toBe('Devices: run')
  expect(summarizePermissions(['sites:read', 'devices:execute', 'devices:read'])).toBe(
    'Devices (view, run) and Sites (view)',
  )
})

test('permissions that nothing asks for are counted and not listed', () => {
  expect(summarizePermissions(['quotes:read', 'devices:read', 'quotes:send'])).toBe('Devices (view) and 2 not used yet')
  expect(summarizePermissions(['quotes:read'])).toBe('1 not used yet')
  expect(summarizePermissions(allPermissions)).toMatch(/^Backup \(.*, Devices \(.*, and \d+ not used yet$/)
})
