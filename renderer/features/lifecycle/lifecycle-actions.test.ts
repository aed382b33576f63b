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
      [
        ...actionsFor(status, asker),
        ...[undoActionFor({ status, offboardingTarget: 'churn' }, asker)].filter(Boolean),
      ].join(' '),
    ]),
  )

test('a user of the company is offered the actions that fit the status of the organization', () => {
  expect(all(colleague)).toEqual({
    active: 'trial suspend end close archive merge remove',
    trial: 'activate suspend end close archive merge remove',
    suspended: 'end close archive merge remove resume',
    offboarding: 'end remove cancelClosing',
    churned: 'uninstall remove reopen',
    merging: '',
    archived: 'restore',
    purging: '',
  })
})

test('an operator is not offered the actions reserved for the company, and sees that some are withheld', () => {
  expect(all(operator)).toEqual({
    active: 'trial suspend end remove',
    trial: 'activate suspend end remove',
    suspended: 'end remove resume',
    offboarding: 'end remove cancelClosing',
    churned: 'remove reopen',
    merging: '',
    archived: '',
    purging: '',
  })
  const told = organizationStatus.options.filter((status) => hasWithheldActions(status, operator))
  expect(told).toEqual(['active', 'suspended', 'trial', 'churned', 'archived'])
  expect(organizationStatus.options.filter((status) => hasWithheldActions(status, colleague))).toEqual([])
})

test('while an organization is being archived, its archiving is what can be canceled', () => {
  expect(undoActionFor({ status: 'offboarding', offboardingTarget: 'archive' }, operator)).toBe('cancelArchiving')
  expect(undoActionFor({ status: 'suspended', offboardingTarget: 'archive' }, operator)).toBe('resume')
})

test('closing, ending and archiving need the name typed, unless there are surely no devices', () => {
  for (const action of ['close', 'end', 'archive'] as const)
    expect(
      [0, 1, undefined].map((devices) => needsTypedName(action, devices)),
      action,
    ).toEqual([false, true, true])
  expect(needsTypedName('suspend', 5)).toBe(false)
})

test('a churned organization cannot be closed again, and agents are uninstalled only where there may be any', () => {
  expect([0, 1, undefined].map((devices) => actionsFor('churned', colleague, devices)[0])).toEqual([
    'remove',
    'uninstall',
    'uninstall',
  ])
  expect(statusAfterChange.uninstall).toBe('offboarding')
})
