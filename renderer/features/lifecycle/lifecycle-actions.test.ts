import { expect, test } from 'vitest'
import { organizationStatus } from '../../../shared/api/organizations.ts'
import {
  actionsFor,
  hasWithheldActions,
  needsTypedName,
  statusAfterChange,
  undoActionFor,
} from './lifecycle-actions.ts'

const colleague = { scope: 'partner' } as const
const operator = { scope: 'system' } as const
const all = (asker: typeof colleague | typeof operator) =>
  Object.fromEntries(
    organizationStatus.options.map((status) => [
      status,
      [...actionsFor(status, asker), ...[undoActionFor(status, asker)].filter(Boolean)].join(' '),
    ]),
  )

test('each status offers what the server takes from it', () => {
  expect(all(colleague)).toEqual({
    active: 'trial suspend close end archive merge remove',
    trial: 'activate suspend close end archive merge remove',
    suspended: 'close end archive merge remove resume',
    offboarding: 'end remove callOff',
    churned: 'uninstall remove reopen',
    merging: '',
    archived: 'restore',
    purging: '',
  })
})

test('who runs the platform is not offered what is for the company alone, and is told so', () => {
  expect(all(operator)).toEqual({
    active: 'trial suspend end remove',
    trial: 'activate suspend end remove',
    suspended: 'end remove resume',
    offboarding: 'end remove callOff',
    churned: 'remove reopen',
    merging: '',
    archived: '',
    purging: '',
  })
  const told = organizationStatus.options.filter((status) => hasWithheldActions(status, operator))
  expect(told).toEqual(['active', 'suspended', 'trial', 'churned', 'archived'])
  expect(organizationStatus.options.filter((status) => hasWithheldActions(status, colleague))).toEqual([])
})

test('what costs agents wants the name typed, unless there are none for sure', () => {
  for (const action of ['close', 'end', 'archive'] as const)
    expect(
      [0, 1, undefined].map((devices) => needsTypedName(action, devices)),
      action,
    ).toEqual([false, true, true])
  expect(needsTypedName('suspend', 5)).toBe(false)
})

test('what has ended is not closed once more, and agents are removed only where there may be any', () => {
  expect([0, 1, undefined].map((devices) => actionsFor('churned', colleague, devices)[0])).toEqual([
    'remove',
    'uninstall',
    'uninstall',
  ])
  expect(statusAfterChange.uninstall).toBe('offboarding')
})
