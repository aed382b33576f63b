import { expect, test } from 'vitest'
import { allPermissions } from '../../../shared/permissions.ts'
import { permissionName, summarizePermissions } from './permission-labels.ts'

test('a permission is named by its resource and action, and a long list is shortened', () => {
  expect(permissionName('devices:execute')).toBe('Devices: run')
  expect(summarizePermissions(['sites:read', 'devices:execute', 'devices:read'])).toBe(
    'Devices (view, run) and Sites (view)',
  )
  expect(summarizePermissions(allPermissions)).toMatch(/, and \d+ more$/)
})
