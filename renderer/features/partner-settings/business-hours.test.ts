import { expect, test } from 'vitest'
import type { Partner } from '../../../shared/api/partners.ts'
import { hoursOf, hoursProblem, isOvernight } from './business-hours.ts'

const partnerWith = (settings: Partner['settings']) => ({ settings })

test('without saved hours the week begins with open weekdays', () => {
  const { preset, custom } = hoursOf(partnerWith({}))
  expect(preset).toBe(null)
  expect(custom.fri).toEqual({ start: '09:00', end: '17:00', closed: false })
  expect(custom.sat.closed).toBe(true)
})

test('days are known by short and whole names, and a day that is not listed is closed', () => {
  const businessHours = {
    preset: 'custom',
    custom: { Monday: { start: '08:00', end: '12:00' }, sun: { start: '10:00', end: '11:00' } },
  }
  const { preset, custom } = hoursOf(partnerWith({ businessHours }))
  expect(preset).toBe('custom')
  expect(custom.mon).toEqual({ start: '08:00', end: '12:00', closed: false })
  expect(custom.sun.closed).toBe(false)
  expect(custom.tue.closed).toBe(true)
})

test('hours stored in an invalid form have to be entered again, except on a closed day, and the others stay', () => {
  const custom = {
    mon: { start: '9:00', end: 'five' },
    tue: { start: '08:00', end: '12:00' },
    wed: { start: 7 },
    thu: { start: '8', end: '', closed: true },
  }
  const week = hoursOf(partnerWith({ businessHours: { preset: 'custom', custom } }))
  expect(week.preset).toBe('custom')
  expect(week.custom.mon).toEqual({ start: '', end: '', closed: false })
  expect(week.custom.tue).toEqual({ start: '08:00', end: '12:00', closed: false })
  expect(week.custom.wed).toEqual({ start: '', end: '', closed: false })
  expect(week.custom.thu).toEqual({ start: '', end: '', closed: true })
  const { mon, tue, wed, thu } = week.custom
  const enter = 'Enter both times'
  expect([mon, tue, wed, thu].map(hoursProblem)).toEqual([enter, null, enter, null])
  for (const businessHours of [null, 'x', 7, { preset: 'never', custom: 'x' }])
    expect(hoursOf(partnerWith({ businessHours } as never)).preset).toBe(null)
})

test.each(['9:00', '24:00', '23:60', '09:00:00', '12:00 ', 'noon'])('%o is no time of day', (end) => {
  expect(hoursProblem({ start: '08:00', end, closed: false })).toBe('Enter both times')
})

test('hours may go past midnight, but need two times that differ', () => {
  const hours = { start: '22:00', end: '06:00', closed: false }
  expect(hoursProblem(hours)).toBe(null)
  expect(isOvernight(hours)).toBe(true)
  expect(hoursProblem({ ...hours, end: '' })).toBe('Enter both times')
  expect(hoursProblem({ ...hours, end: '22:00' })).toBe('Start and end are the same')
  expect(hoursProblem({ start: '', end: '', closed: true })).toBe(null)
})
