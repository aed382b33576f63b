import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { exitCode } from './failure.ts'
import { icaclsCalls, loadState, requireState, saveState } from './state.ts'
import { agentId, authToken } from './testing/fake-server.ts'
import { makeFolder } from './testing/scene.ts'

const state = {
  serverUrl: 'https://box.local:8443',
  agentId,
  authToken,
  deviceId: 'd',
  orgId: 'o',
  siteId: 's',
  heartbeatIntervalSeconds: 60,
  enrolledAt: '2026-01-01T00:00:00.000Z',
}

test.each([
  [1, 5],
  [60, 60],
  [100_000, 3600],
])('an interval of %i seconds becomes %i', async (told, kept) => {
  const stateDir = await makeFolder()
  saveState(stateDir, { ...state, heartbeatIntervalSeconds: told })
  expect(loadState(stateDir)).toEqual({ ...state, heartbeatIntervalSeconds: kept })
})

test('a missing state means not enrolled, and a damaged one is a configuration error', async () => {
  const stateDir = await makeFolder()
  expect(loadState(stateDir)).toBeUndefined()
  expect(() => requireState(stateDir)).toThrow('not enrolled')
  writeFileSync(join(stateDir, 'agent.json'), '{"serverUrl":')
  expect(() => loadState(stateDir)).toThrow(expect.objectContaining({ exitCode: exitCode.badConfig }))
})

test('on Windows an administrator takes ownership first, then resets and grants the rights of the folder', () => {
  const [owner, reset, grant] = icaclsCalls('C:\\ProgramData\\Homeport Agent', true)
  expect(owner).toContain('/setowner')
  expect(reset).toContain('/reset')
  expect(grant?.filter((arg) => arg.startsWith('*'))).toEqual(['*S-1-5-18:(OI)(CI)F', '*S-1-5-32-544:(OI)(CI)F'])
})

test('on Windows a plain user keeps the folder for themselves and the administrators', () => {
  const calls = icaclsCalls('C:\\Users\\ada\\agent', false)
  expect(calls).toHaveLength(1)
  expect(calls[0]?.filter((arg) => arg.startsWith('*'))).toHaveLength(3)
})
