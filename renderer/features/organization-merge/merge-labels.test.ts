import { expect, test } from 'vitest'
import { mergeFailureText, mergePercent, movedRecords, phaseText, spokenPhase } from './merge-labels.ts'

test('moved records are listed by kind, devices first, and unknown tables in one line', () => {
  const row = { policy: 'repoint', wouldDrop: 0 }
  expect(
    movedRecords([
      { ...row, table: 'sites', loserRows: 2 },
      { ...row, table: 'new_things', loserRows: 3 },
      { ...row, table: 'other_things', loserRows: 4, wouldDrop: 1 },
      { ...row, table: 'devices', loserRows: 12 },
      { ...row, table: 'audit_logs', loserRows: 7, wouldDrop: 7 },
    ]),
  ).toEqual([
    { what: 'Devices and their records', moved: 12, dropped: 0 },
    { what: 'Sites', moved: 2, dropped: 0 },
    { what: 'Audit log entries', moved: 0, dropped: 7 },
    { what: 'Other records', moved: 6, dropped: 1 },
  ])
})

test('the phase of a merge is shown with numbers and announced in quarters', () => {
  const moving = (movedRows: number) => ({ phase: 'moving' as const, movedRows, totalRows: 1200 })
  expect(phaseText()).toBe('Queued')
  expect(phaseText(moving(301))).toBe('Moving 301 of 1,200 records')
  expect(spokenPhase(moving(301))).toBe(spokenPhase(moving(599)))
  expect(spokenPhase(moving(601))).toBe('Moving, half is done')
  expect([phaseText(moving(1200)), spokenPhase(moving(1200))]).toEqual(['Finishing', 'Finishing'])
  expect(phaseText({ phase: 'undoing', movedRows: 1, totalRows: 9 })).toContain('1 record to go')
})

test('the progress bar has a value only where there is something to measure', () => {
  expect(mergePercent({ phase: 'fencing', movedRows: 0, totalRows: 0 })).toBeNull()
  expect(mergePercent({ phase: 'moving', movedRows: 0, totalRows: 0 })).toBeNull()
  expect(mergePercent({ phase: 'moving', movedRows: 5, totalRows: 4 })).toBe(100)
})

test('every reason of a failure is shown as a sentence', () => {
  expect(mergeFailureText('performer_inactive')).toBe('The account of the person who requested it isn’t active.')
  expect(mergeFailureText('The surviving organization is deleted')).toBe('The surviving organization is deleted.')
})
