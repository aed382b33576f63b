import { expect, test } from 'vitest'
import { bodyOf, newSla, slaDraftOf, slaErrors } from './sla-draft.ts'

const saved = {
  id: 'a',
  orgId: 'o',
  name: 'Servers',
  rpoTargetMinutes: 90,
  rtoTargetMinutes: 2880,
  targetDevices: ['d'],
  targetGroups: [],
  targetDeviceNames: [{ id: 'd', name: 'pc-1' }],
  alertOnBreach: false,
  isActive: true,
  checkedAt: null,
  deviceCount: null,
  breachedDevices: 0,
  createdAt: '',
  updatedAt: '',
}

test('what is saved can be edited and saved again as it was', () => {
  const { name, rpoTargetMinutes, rtoTargetMinutes, targetDevices, targetGroups, alertOnBreach } = saved
  expect(bodyOf(slaDraftOf(saved))).toEqual({
    ...{ name, rpoTargetMinutes, rtoTargetMinutes, targetDevices, targetGroups, alertOnBreach },
  })
  expect(bodyOf({ ...slaDraftOf(saved), isForSome: false })).toMatchObject({ targetDevices: [], targetGroups: [] })
})

test('a name, whole numbers and somebody to whom it applies are needed', () => {
  expect(slaErrors({ ...newSla, name: 'All' }).isRight).toBe(true)
  expect(slaErrors(newSla)).toMatchObject({ name: 'Enter a name', isRight: false })
  const wrong = { ...newSla, rpo: { amount: '', unit: 'hours' }, rto: { amount: 5000, unit: 'days' } } as const
  expect(slaErrors(wrong)).toMatchObject({ rpo: 'Enter a whole number from 1', rto: 'Enter at most ten years' })
  expect(slaErrors({ ...newSla, isForSome: true }).targets).toBe('Choose a device or a group')
})
