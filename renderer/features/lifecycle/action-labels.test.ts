import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { actionLabels, consequencesOf, erasureProgressText } from './action-labels.ts'

test('the consequences name the numbers of agents, people and keys', () => {
  expect(consequencesOf('close', { devices: 12, people: 1, keys: 3 }).slice(0, 3)).toEqual([
    '12 agents uninstall themselves.',
    '1 person of the organization is signed out and can’t sign in.',
    '3 enrollment keys expire.',
  ])
  expect(consequencesOf('end', { devices: 1, people: 2, keys: 1 })).toEqual([
    '1 agent is disconnected but stays installed.',
    '2 people of the organization are signed out and can’t sign in.',
    '1 enrollment key expires.',
  ])
})

test('consequences for nothing are left out, and unknown amounts have no number', () => {
  expect(consequencesOf('end', { devices: 0, people: 0, keys: 0 })).toEqual(['It has no devices.'])
  expect(consequencesOf('end', { devices: undefined, people: undefined, keys: undefined })).toEqual([
    'All its agents are disconnected but stay installed.',
    'The organization’s people are signed out and can’t sign in.',
    'Its enrollment keys expire.',
  ])
})

test('the user guide tells closing, archiving and deleting apart in the words of the danger zone', () => {
  const guide = readFileSync(join(import.meta.dirname, '../../../docs/user-guide.md'), 'utf8')
  const text = guide.replace(/\*\*/g, '').replace(/\s+/g, ' ')
  for (const action of ['close', 'end', 'archive', 'remove'] as const)
    expect(text).toContain(`${actionLabels[action].title}: ${actionLabels[action].about}`)
})

test('the text of a deletion covers waiting, counting, progress and another try after a failure', () => {
  expect(erasureProgressText({ state: 'waiting', done: 0, total: null })).toBe('Queued')
  expect(erasureProgressText({ state: 'active', done: 0, total: null })).toBe('Counting records')
  expect(erasureProgressText({ state: 'active', done: 1200, total: 4800 })).toBe('1,200 of 4,800 records deleted')
  expect(erasureProgressText({ state: 'failed', done: 12, total: 48 })).toContain('retry automatically')
})
