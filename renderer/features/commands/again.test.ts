import { expect, test } from 'vitest'
import { againOf } from './again.ts'

const script = { type: 'script', payload: { language: 'bash', content: 'date' } }
const reboot = { type: 'reboot', payload: {} }
const may = { mayNotRun: null, mayNotScript: null }

test('a command is run again as what it was, and what nobody may queue is not', () => {
  expect([againOf(script, may), againOf(reboot, may)]).toEqual(['script', 'reboot'])
  expect(againOf({ type: 'self_uninstall', payload: {} }, may)).toBe(null)
})

test('scripts and other commands need a permission each', () => {
  const noScripts = { ...may, mayNotScript: 'Your role doesn’t allow this' }
  expect([againOf(script, noScripts), againOf(reboot, noScripts)]).toEqual([null, 'reboot'])
  const onlyScripts = { ...may, mayNotRun: 'Your role doesn’t allow this' }
  expect([againOf(script, onlyScripts), againOf(reboot, onlyScripts)]).toEqual(['script', null])
})
